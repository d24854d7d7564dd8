import type { ComponentChildren } from 'preact';
import type { Plan } from '../../../domain/billing/plan.js';
import type { DeliveryEntry } from '../../../domain/destinations/delivery.js';
import type { Destination } from '../../../domain/destinations/destination.js';
import type { Moment } from '../../../domain/moment.js';
import type { Flash } from '../keys/flash.js';
import { MarketSearch } from '../markets/market-search.js';
import { CardTable, Cell } from '../page/card-table.js';
import { Layout } from '../page/layout.js';
import { Ago } from '../page/moment.js';
import { Notice } from '../page/notice.js';
import { refusalText } from '../page/refusal-text.js';
import type { Viewer } from '../state.js';
import type { TypedDestination } from './destination-draft.js';
import { DestinationForm } from './destination-form.js';
import { DESTINATIONS_PATH, destinationPath } from './destination-page.js';
import { DestinationStateText } from './destination-state.js';
import { filterText, KIND_NAMES, outcomeText, targetText } from './destination-text.js';

/** A destination with its newest delivery. */
export type ListedDestination = {
  readonly destination: Destination;
  readonly last: DeliveryEntry | null;
};

export type DestinationsPageProps = {
  readonly viewer: Viewer;
  readonly plan: Plan;
  readonly listed: readonly ListedDestination[];
  readonly now: Moment;
  readonly notice: Flash | null;
  /** What the form begins with. */
  readonly typed: TypedDestination;
  /** Null if the service has no key for secrets. */
  readonly ownAddress: string | null;
  readonly demo: ComponentChildren;
};

/** Where an account gets the feed, and the form of a new destination (D66, D67). */
export const DestinationsPage = (props: DestinationsPageProps) => {
  const { viewer, listed, now, notice, demo } = props;
  return (
    <Layout
      title="Destinations"
      viewer={viewer}
      activePath={DESTINATIONS_PATH}
      modules={['market-suggestions.js']}
      demo={demo}
    >
      {notice !== null && (
        <Notice kind={notice.kind}>
          <p>{notice.text}</p>
        </Notice>
      )}
      <p>
        A destination gets each item that is published or replaced, and every retraction: at a webhook of
        yours, in Slack or Discord, by email, or in a feed reader.{' '}
        <a href="/docs/webhooks">How destinations work</a>
      </p>
      {viewer.access?.status === 'refused' && listed.length > 0 && (
        <Notice kind="warning">
          <p>Nothing is delivered until requests with your keys are accepted again. Positions are kept.</p>
        </Notice>
      )}
      {listed.length === 0 ? (
        <p>You have no destinations yet.</p>
      ) : (
        <DestinationTable listed={listed} now={now} />
      )}
      <NewDestination {...props} />
    </Layout>
  );
};

const DestinationTable = ({ listed, now }: Pick<DestinationsPageProps, 'listed' | 'now'>) => (
  <CardTable
    caption="Your destinations"
    columns={['Destination', 'Kind', 'To', 'Filter', 'Status', 'Last delivery']}
  >
    {listed.map(({ destination, last }) => (
      <tr key={destination.id}>
        <th scope="row">
          <a href={destinationPath(destination.id)}>{destination.label}</a>
        </th>
        <Cell of="Kind">{KIND_NAMES[destination.target.kind]}</Cell>
        <Cell of="To">{targetText(destination.target)}</Cell>
        <Cell of="Filter">{filterText(destination.filter)}</Cell>
        <Cell of="Status">
          <DestinationStateText destination={destination} />
        </Cell>
        <Cell of="Last delivery">
          <Ago at={last?.at ?? null} now={now} none="None" />
          {last !== null && `: ${outcomeText(destination.target, last)}`}
        </Cell>
      </tr>
    ))}
  </CardTable>
);

/** The page of a market leads back to the form, with the market as its filter. */
const ForOneMarket = () => (
  <>
    <h3>For one market</h3>
    <p>Find the market. Its page has the link “Send its news to a destination”, which fills in the filter.</p>
    <MarketSearch text="" />
  </>
);

/** Whether the form is what the visitor came for: the first destination, a filter of another page, or a form with a fault. */
const isAsked = ({ listed, typed, notice }: DestinationsPageProps): boolean =>
  listed.length === 0 || typed.filter !== '' || notice?.kind === 'bad';

/** The form, or the reason why there is none. */
const NewDestination = (props: DestinationsPageProps) => {
  const { listed, plan, ownAddress } = props;
  const limit = plan.destinations;
  const isFull = listed.length >= limit;
  return (
    <section aria-labelledby="new">
      <h2 id="new">New destination</h2>
      <p id="allowance">
        {listed.length} of {limit} {limit === 1 ? 'destination' : 'destinations'} on the {plan.title} plan.
        {isFull && ` ${refusalText({ refused: 'too_many_destinations', limit })}`}
      </p>
      {ownAddress === null && <WithoutKey />}
      {ownAddress !== null && !isFull && (
        <details class="new-destination" open={isAsked(props)}>
          <summary>Add a destination</summary>
          <DestinationForm {...props} ownAddress={ownAddress} />
          <ForOneMarket />
        </details>
      )}
    </section>
  );
};

const WithoutKey = () => (
  <Notice kind="warning">
    <p>
      This service cannot store destinations: the operator must first set <code>SECRETS_KEY</code>, the key
      that encrypts their addresses and secrets.
    </p>
  </Notice>
);
