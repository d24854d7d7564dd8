import type { ComponentChildren } from 'preact';
import { whyNotDelivered } from '../../../domain/destinations/account-destinations.js';
import type { DeliveryEntry } from '../../../domain/destinations/delivery.js';
import type { Destination, SigningSecrets } from '../../../domain/destinations/destination.js';
import { mayOwnerEnable } from '../../../domain/destinations/destination-state.js';
import type { Moment } from '../../../domain/moment.js';
import type { Flash } from '../keys/flash.js';
import { CardTable, Cell, type Column } from '../page/card-table.js';
import { FormToken, Layout } from '../page/layout.js';
import { At } from '../page/moment.js';
import { Notice } from '../page/notice.js';
import type { Viewer } from '../state.js';
import { TestForm } from './created-page.js';
import { FilterField, LabelField } from './destination-form.js';
import { DESTINATIONS_PATH, destinationPath } from './destination-page.js';
import { DestinationStateText } from './destination-state.js';
import { DELIVERY_KINDS, filterText, KIND_NAMES, outcomeText, targetText } from './destination-text.js';

export type DetailsPageProps = {
  readonly viewer: Viewer;
  readonly destination: Destination;
  readonly deliveries: readonly DeliveryEntry[];
  readonly now: Moment;
  readonly notice: Flash | null;
  /** What was typed into the form that was refused; null for the stored values. */
  readonly typed: { readonly label: string; readonly filter: string } | null;
  readonly demo: ComponentChildren;
};

/** One destination: its state, what its owner can do, and its last deliveries (D71). */
export const DetailsPage = (props: DetailsPageProps) => {
  const { viewer, destination, notice, demo } = props;
  return (
    <Layout title={destination.label} viewer={viewer} activePath={DESTINATIONS_PATH} demo={demo}>
      {notice !== null && (
        <Notice kind={notice.kind}>
          <p>{notice.text}</p>
        </Notice>
      )}
      <Facts {...props} />
      <Actions {...props} />
      <h2>Last deliveries</h2>
      <Deliveries {...props} />
      <h2>Label and filter</h2>
      <EditForm {...props} />
      <p>
        <a href={DESTINATIONS_PATH}>Back to destinations</a>
      </p>
    </Layout>
  );
};

const Facts = ({ destination, now }: DetailsPageProps) => {
  const { target, filter, createdAt } = destination;
  return (
    <dl class="facts">
      <dt>Status</dt>
      <dd>
        <DestinationStateText destination={destination} />
      </dd>
      <dt>Kind</dt>
      <dd>{KIND_NAMES[target.kind]}</dd>
      <dt>To</dt>
      <dd>{targetText(target)}</dd>
      <dt>Filter</dt>
      <dd>{filterText(filter)}</dd>
      <dt>Created</dt>
      <dd>
        <At at={createdAt} />
      </dd>
      {target.kind === 'webhook' && <OlderSecret secrets={target.secrets} now={now} />}
    </dl>
  );
};

const OlderSecret = ({
  secrets: { older },
  now,
}: {
  readonly secrets: SigningSecrets;
  readonly now: Moment;
}) =>
  older !== null && older.until > now ? (
    <>
      <dt>Old secret</dt>
      <dd>
        Signs, too, until <At at={older.until} />
      </dd>
    </>
  ) : null;

/** Whether a test can be sent. Emails and feeds have none: an email needs the consent of its reader, and a feed is read. */
export const isTestable = ({ target, state }: Destination): boolean =>
  (target.kind === 'webhook' || target.kind === 'slack') && mayOwnerEnable(state);

/** Whether its owner can enable it now. */
export const isEnabledByOwner = (destination: Destination): boolean =>
  ['paused', 'disabled'].includes(destination.state.status) &&
  mayOwnerEnable(destination.state) &&
  whyNotDelivered(destination) === null;

/** Whether the owner of a mailbox can be asked again. */
export const awaitsConsent = (destination: Destination): boolean =>
  mayOwnerEnable(destination.state) && whyNotDelivered(destination)?.refused === 'not_confirmed';

const Actions = ({ viewer, destination }: DetailsPageProps) => {
  const { id, target, state } = destination;
  const action = (name: string, label: string) => (
    <form method="post" action={`${destinationPath(id)}/${name}`}>
      <FormToken viewer={viewer} />
      <button type="submit">{label}</button>
    </form>
  );
  return (
    <div class="actions">
      {isTestable(destination) && <TestForm viewer={viewer} destination={destination} />}
      {awaitsConsent(destination) && action('confirmation', 'Send the confirmation link again')}
      {isEnabledByOwner(destination) && action('enabling', 'Enable')}
      {(state.status === 'active' || state.status === 'failing') && action('pause', 'Pause')}
      {target.kind === 'webhook' && action('secret', 'Rotate secret')}
      <a class="danger" href={`${destinationPath(id)}/removal`}>
        Remove
      </a>
    </div>
  );
};

const MESSAGES: Column = { label: 'Messages', isNumber: true };
const DURATION: Column = { label: 'Duration', isNumber: true };

const Deliveries = ({ viewer, destination, deliveries }: DetailsPageProps) => {
  if (destination.target.kind === 'feed') return <p>A feed has no deliveries: feed readers request it.</p>;
  if (deliveries.length === 0) return <p>None in the last 7 days.</p>;
  return (
    // One form for all rows, so that a page with 100 of them stays small.
    <form method="post" action={`${destinationPath(destination.id)}/deliveries`}>
      <FormToken viewer={viewer} />
      <p id="again-note" class="quiet">
        To deliver again costs one request of your quota for each 500 items. The receiver recognises the
        delivery by its id.
      </p>
      <CardTable
        caption="Deliveries of the last 7 days, newest first, 100 at most"
        columns={['Time', 'Content', 'Result', DURATION, MESSAGES, 'Actions']}
      >
        {deliveries.map((entry) => (
          <Delivery key={`${entry.id} ${entry.at}`} target={destination.target} entry={entry} />
        ))}
      </CardTable>
    </form>
  );
};

const Delivery = ({
  target,
  entry,
}: {
  readonly target: Destination['target'];
  readonly entry: DeliveryEntry;
}) => (
  <tr>
    <th scope="row">
      <At at={entry.at} />
    </th>
    <Cell of="Content">{DELIVERY_KINDS[entry.kind]}</Cell>
    <Cell of="Result">{outcomeText(target, entry)}</Cell>
    <Cell of={DURATION}>{Math.round(entry.durationMs).toLocaleString('en-US')} ms</Cell>
    <Cell of={MESSAGES}>{entry.messages}</Cell>
    <Cell of="Actions">
      {entry.bounds === null ? (
        <span class="quiet">None</span>
      ) : (
        <button type="submit" class="plain" name="delivery" value={entry.id}>
          Deliver again<span class="hidden"> {entry.at.slice(0, 19)}</span>
        </button>
      )}
    </Cell>
  </tr>
);

const EditForm = ({ viewer, destination, typed }: DetailsPageProps) => {
  const { label, filter } = typed ?? destination;
  return (
    <form method="post" action={`${destinationPath(destination.id)}/settings`}>
      <FormToken viewer={viewer} />
      <LabelField value={label} />
      <FilterField value={filter} />
      <button type="submit">Save</button>
    </form>
  );
};

/** Confirmation before a destination is removed. */
export const RemovalPage = ({
  viewer,
  destination: { id, label, target },
  demo,
}: Pick<DetailsPageProps, 'viewer' | 'destination' | 'demo'>) => (
  <Layout title={`Remove ${label}`} viewer={viewer} activePath={DESTINATIONS_PATH} demo={demo}>
    <Notice kind="warning">
      <p>
        {target.kind === 'feed'
          ? 'Feed readers then get no items at its address.'
          : 'Nothing is delivered any more. Its position and its list of deliveries are deleted.'}{' '}
        This cannot be undone. To stop for a while, pause the destination instead.
      </p>
    </Notice>
    <form method="post" action={`${destinationPath(id)}/removal`}>
      <FormToken viewer={viewer} />
      <button type="submit" class="danger">
        Remove destination
      </button>{' '}
      <a href={destinationPath(id)}>Cancel</a>
    </form>
  </Layout>
);
