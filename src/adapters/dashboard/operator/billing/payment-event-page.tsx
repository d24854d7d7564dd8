import type { RefusedCheckout } from '../../../../application/billing/link-checkout.js';
import { isWorthReplaying } from '../../../../application/billing/replay-event.js';
import type { EventState, ListedEvent } from '../../../../application/ports/billing/payment-inbox.js';
import { Badge } from '../../keys/key-state.js';
import { CardTable, Cell } from '../../page/card-table.js';
import { Layout, type Viewer } from '../../page/layout.js';
import { At } from '../../page/moment.js';
import { Notice } from '../../page/notice.js';
import { accountPath, EVENTS_PATH, eventLinkPath, eventPath } from '../addresses.js';
import { type ReasonFault, ReasonForm } from '../reason-form.js';

// biome-ignore format: a table is read by its columns
const STATES: Readonly<Record<EventState, readonly [kind: 'good' | 'off' | 'warning' | 'bad', text: string]>> = {
  applied: ['good',    'It was applied to its account.'],
  ignored: ['off',     'It tells nothing that concerns us.'],
  waiting: ['warning', 'It waits for an account to be linked to its customer, and is applied then.'],
  failed:  ['bad',     'It could not be applied. It holds up nothing.'],
};

const State = ({ state }: { readonly state: EventState }) => <Badge kind={STATES[state][0]}>{state}</Badge>;

export const EventListPage = ({
  viewer,
  failed,
  waiting,
}: {
  readonly viewer: Viewer;
  readonly failed: readonly ListedEvent[];
  readonly waiting: readonly ListedEvent[];
}) => (
  <Layout title="Payment events" viewer={viewer} activePath={EVENTS_PATH}>
    <p>
      What the payment processor told us that has come to nothing so far. Those that were applied are with
      their accounts.
    </p>
    <h2>Failed</h2>
    {failed.length === 0 ? (
      <p>None.</p>
    ) : (
      <EventTable events={failed} caption="Failed, the latest received first" />
    )}
    <h2>Waiting for an account</h2>
    {waiting.length === 0 ? (
      <p>None.</p>
    ) : (
      <EventTable events={waiting} caption="Waiting, the latest received first" />
    )}
  </Layout>
);

export const EventTable = ({
  events,
  caption,
}: {
  readonly events: readonly ListedEvent[];
  readonly caption: string;
}) => (
  <CardTable caption={caption} columns={['Event', 'State', 'Type', 'Made', 'Fault']}>
    {events.map(({ id, state, type, at, fault }) => (
      <tr key={id}>
        <th scope="row">
          <a href={eventPath(id)}>{id}</a>
        </th>
        <Cell of="State">
          <State state={state} />
        </Cell>
        <Cell of="Type">
          <code>{type}</code>
        </Cell>
        <Cell of="Made">
          <At at={at} />
        </Cell>
        <Cell of="Fault">{fault ?? '–'}</Cell>
      </tr>
    ))}
  </CardTable>
);

export type EventPageProps = {
  readonly viewer: Viewer;
  readonly event: ListedEvent;
  /** Null where it is not a checkout that an operator may link. */
  readonly checkout: RefusedCheckout | null;
  readonly notice: string | null;
  readonly fault: ReasonFault | null;
};

export const EventPage = ({ viewer, event, checkout, notice, fault }: EventPageProps) => (
  <Layout title={`Payment event ${event.id}`} viewer={viewer} activePath={EVENTS_PATH}>
    {notice !== null && (
      <Notice kind="good">
        <p>{notice}</p>
      </Notice>
    )}
    <p>
      <State state={event.state} /> {STATES[event.state][1]}
    </p>
    <EventFacts event={event} />
    {checkout !== null && (
      <section aria-labelledby="link">
        <h2 id="link">Link its customer</h2>
        <p>
          The checkout names the account of {checkout.account.email}, but without a valid reference, so it was
          not linked.
        </p>
        <p>
          <a class="button" href={eventLinkPath(event.id)}>
            Link {checkout.customer} to {checkout.account.email}
          </a>
        </p>
      </section>
    )}
    {isWorthReplaying(event) && (
      <section aria-labelledby="replay">
        <h2 id="replay">Replay it</h2>
        <p>
          It is read anew from what came, and applied as it is understood now. Newer facts are not overwritten
          by it, so that it can do no harm.
        </p>
        <ReasonForm
          {...{ viewer, fault }}
          action={`${eventPath(event.id)}/replay`}
          button="Replay"
          isDangerous={false}
        />
      </section>
    )}
  </Layout>
);

const EventFacts = ({
  event: { type, at, receivedAt, customer, account, fault },
}: Pick<EventPageProps, 'event'>) => (
  <dl class="facts">
    <dt>Type</dt>
    <dd>
      <code>{type}</code>
    </dd>
    <dt>Made</dt>
    <dd>
      <At at={at} />
    </dd>
    <dt>Received</dt>
    <dd>
      <At at={receivedAt} />
    </dd>
    <dt>Customer</dt>
    <dd>{customer === null ? <span class="quiet">none</span> : <code>{customer}</code>}</dd>
    <dt>Account</dt>
    <dd>
      {account === null ? <span class="quiet">none</span> : <a href={accountPath(account)}>To its account</a>}
    </dd>
    <dt>Fault</dt>
    <dd>{fault ?? <span class="quiet">none</span>}</dd>
  </dl>
);
