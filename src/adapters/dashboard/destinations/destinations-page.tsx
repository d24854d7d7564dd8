import type { ComponentChildren } from 'preact';
import type { Plan } from '../../../domain/billing/plan.js';
import type { DeliveryEntry } from '../../../domain/destinations/delivery.js';
import { DESTINATION_KINDS, type Destination } from '../../../domain/destinations/destination.js';
import { LABEL_LENGTH } from '../../../domain/keys/label.js';
import type { Moment } from '../../../domain/moment.js';
import type { Flash } from '../keys/flash.js';
import { MARKETS_PATH } from '../markets/market-paths.js';
import { MarketSearch } from '../markets/market-search.js';
import { CardTable, Cell } from '../page/card-table.js';
import { FormToken, Layout } from '../page/layout.js';
import { Ago } from '../page/moment.js';
import { Notice } from '../page/notice.js';
import { refusalText } from '../page/refusal-text.js';
import type { Viewer } from '../state.js';
import type { TypedDestination } from './destination-draft.js';
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
      {ownAddress === null ? <WithoutKey /> : !isFull && <Form {...props} ownAddress={ownAddress} />}
      {ownAddress !== null && !isFull && <ForOneMarket />}
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

/** A form that is sent twice creates one destination: `seen` is the newest one when the page was rendered. */
const Form = ({
  viewer,
  listed,
  typed,
  ownAddress,
}: DestinationsPageProps & { readonly ownAddress: string }) => (
  <form method="post" action={DESTINATIONS_PATH}>
    <FormToken viewer={viewer} />
    <input type="hidden" name="seen" value={listed.at(-1)?.destination.id ?? ''} />
    <LabelField value={typed.label} />
    <p>
      <label for="kind">Kind</label>
      <select id="kind" name="kind">
        {DESTINATION_KINDS.map((kind) => (
          <option key={kind} value={kind} selected={kind === typed.kind}>
            {KIND_NAMES[kind]}
          </option>
        ))}
      </select>
    </p>
    <p>
      <label for="address">Address</label>
      <input
        id="address"
        name="address"
        autocomplete="off"
        aria-describedby="address-note"
        value={typed.address}
      />
    </p>
    <p id="address-note" class="quiet">
      Webhook, Slack and Discord: the URL. Email: an address, such as {ownAddress}. The owner of any other
      address must confirm it first. Atom feed: leave it empty.
    </p>
    <FilterField value={typed.filter} />
    <button type="submit" aria-describedby="allowance">
      Create destination
    </button>
  </form>
);

export const LabelField = ({ value }: { readonly value: string }) => (
  <p>
    <label for="label">Label</label>
    <input
      id="label"
      name="label"
      required
      maxLength={LABEL_LENGTH.maximum}
      placeholder="newsroom"
      autocomplete="off"
      value={value}
    />
  </p>
);

export const FilterField = ({ value }: { readonly value: string }) => (
  <>
    <p>
      <label for="filter">Filter (optional)</label>
      <input
        id="filter"
        name="filter"
        autocomplete="off"
        placeholder="category=politics&q=interest+rate"
        aria-describedby="filter-note"
        value={value}
      />
    </p>
    <p id="filter-note" class="quiet">
      The parameters of the API, as in a query string: <code>market</code>, <code>q</code>,{' '}
      <code>category</code>, <code>source</code> and the <a href="/docs/filters">other filters</a>. Empty:
      every item. <a href={MARKETS_PATH}>Find a market</a> to follow it.
    </p>
  </>
);
