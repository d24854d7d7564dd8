import type { RefusedCheckout } from '../../../../application/billing/link-checkout.js';
import { isWorthReplaying } from '../../../../application/billing/replay-event.js';
import type { EventState, ListedEvent } from '../../../../application/ports/billing/payment-inbox.js';
import type { EventDetails } from '../../../../application/ports/billing/processor.js';
import { accountOfReference } from '../../../../domain/billing/checkout-reference.js';
import { Badge } from '../../keys/key-state.js';
import { CardTable, Cell } from '../../page/card-table.js';
import { FormToken, Layout } from '../../page/layout.js';
import { At } from '../../page/moment.js';
import { Notice } from '../../page/notice.js';
import type { Viewer } from '../../state.js';
import type { DoneNotice } from '../accounts/action-text.js';
import { accountPath, EVENTS_PATH, eventAccountPath, eventLinkPath, eventPath } from '../addresses.js';
import { type ReasonFault, ReasonForm } from '../reason-form.js';

// biome-ignore format: a table is read by its columns
const STATES: Readonly<Record<EventState, readonly [kind: 'good' | 'off' | 'warning' | 'bad', name: string, text: string]>> = {
  applied: ['good',    'Applied', 'The event was applied to its account.'],
  ignored: ['off',     'Ignored', 'The event changes nothing. It is not relevant to this service, or its account is deleted.'],
  waiting: ['warning', 'Waiting', 'The event will be applied once an account is linked to its customer.'],
  failed:  ['bad',     'Failed',  'The event could not be applied. It does not block other events.'],
};

const State = ({ state }: { readonly state: EventState }) => (
  <Badge kind={STATES[state][0]}>{STATES[state][1]}</Badge>
);

export const EventListPage = ({
  viewer,
  failed,
  waiting,
  ignored,
}: {
  readonly viewer: Viewer;
  readonly failed: readonly ListedEvent[];
  readonly waiting: readonly ListedEvent[];
  /** Only those with a reason. */
  readonly ignored: readonly ListedEvent[];
}) => (
  <Layout title="Payment events" viewer={viewer} activePath={EVENTS_PATH}>
    <p>
      These events of the payment processor are not applied. Find applied events on the page of their account.
    </p>
    <h2>Failed</h2>
    {failed.length === 0 ? (
      <p>None.</p>
    ) : (
      <EventTable events={failed} caption="Failed events, last received first" />
    )}
    <h2>Waiting for an account</h2>
    {waiting.length === 0 ? (
      <p>None.</p>
    ) : (
      <EventTable events={waiting} caption="Waiting events, last received first" />
    )}
    {ignored.length > 0 && (
      <>
        <h2>Ignored, for you to look at</h2>
        <p>
          These events change nothing here. A person decides what to do, for example about a lost dispute.
        </p>
        <EventTable events={ignored} caption="Ignored events with a reason, last received first" />
      </>
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
  <CardTable caption={caption} columns={['Event', 'Status', 'Type', 'Created', 'Reason']}>
    {events.map(({ id, state, type, at, fault }) => (
      <tr key={id}>
        <th scope="row">
          <a href={eventPath(id)}>{id}</a>
        </th>
        <Cell of="Status">
          <State state={state} />
        </Cell>
        <Cell of="Type">
          <code>{type}</code>
        </Cell>
        <Cell of="Created">
          <At at={at} />
        </Cell>
        <Cell of="Reason">{fault ?? '–'}</Cell>
      </tr>
    ))}
  </CardTable>
);

export type AccountChoice = { readonly typed: string; readonly fault: string };

export type EventPageProps = {
  readonly viewer: Viewer;
  readonly event: ListedEvent;
  /** Null if the event is not a checkout that an operator may link. */
  readonly checkout: RefusedCheckout | null;
  readonly details: EventDetails;
  /** The account that was sent, and why it cannot be linked; null at first. */
  readonly choice: AccountChoice | null;
  readonly notice: DoneNotice | null;
  readonly fault: ReasonFault | null;
};

export const EventPage = ({ viewer, event, checkout, details, choice, notice, fault }: EventPageProps) => (
  <Layout title={`Payment event ${event.id}`} viewer={viewer} activePath={EVENTS_PATH}>
    {notice !== null && (
      <Notice kind={notice.kind}>
        <p>{notice.text}</p>
      </Notice>
    )}
    <p>
      <State state={event.state} /> {STATES[event.state][2]}
    </p>
    <EventFacts {...{ event, details }} />
    {event.state === 'waiting' && event.customer !== null && (
      <AccountForm {...{ viewer, event, details, choice }} />
    )}
    {checkout !== null && (
      <section aria-labelledby="link">
        <h2 id="link">Link customer</h2>
        <p>
          The checkout names the account of {checkout.account.email} without a valid checkout reference. Its
          customer was not linked.
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
        <h2 id="replay">Replay event</h2>
        <p>Applies the stored event again, with the current rules. Newer data is never overwritten.</p>
        <ReasonForm
          {...{ viewer, fault }}
          action={`${eventPath(event.id)}/replay`}
          button="Replay event"
          isDangerous={false}
        />
      </section>
    )}
  </Layout>
);

/** Leads to the form that links the customer to the account: nothing is changed here. */
const AccountForm = ({
  viewer,
  event: { id, customer },
  details: { reference },
  choice,
}: Omit<EventPageProps, 'checkout' | 'notice' | 'fault'>) => (
  <section aria-labelledby="account-choice">
    <h2 id="account-choice">Link customer</h2>
    <p>
      No account is linked to the customer <code>{customer}</code>. Name the account that this customer pays
      for.
    </p>
    <form method="post" action={eventAccountPath(id)}>
      <FormToken viewer={viewer} />
      <label for="account">Email address or ID of the account</label>
      <input
        id="account"
        name="account"
        required
        autocomplete="off"
        value={choice?.typed ?? (reference === null ? '' : (accountOfReference(reference) ?? ''))}
        aria-describedby={choice === null ? undefined : 'account-fault'}
        aria-invalid={choice === null ? undefined : 'true'}
      />
      {choice !== null && (
        <p id="account-fault" class="fault" role="alert">
          {choice.fault}
        </p>
      )}
      <button type="submit">Continue</button>
    </form>
  </section>
);

const EventFacts = ({
  event: { type, at, receivedAt, customer, account, fault },
  details: { object, reference, email },
}: Pick<EventPageProps, 'event' | 'details'>) => (
  <dl class="facts">
    <dt>Type</dt>
    <dd>
      <code>{type}</code>
    </dd>
    {object !== null && (
      <>
        <dt>Object</dt>
        <dd>
          <code>{object}</code>
        </dd>
      </>
    )}
    {reference !== null && (
      <>
        <dt>Checkout reference</dt>
        <dd>
          <code>{reference}</code>
        </dd>
      </>
    )}
    {email !== null && (
      <>
        <dt>Email address</dt>
        <dd>{email}</dd>
      </>
    )}
    <dt>Created</dt>
    <dd>
      <At at={at} />
    </dd>
    <dt>Received</dt>
    <dd>
      <At at={receivedAt} />
    </dd>
    <dt>Customer</dt>
    <dd>{customer === null ? <span class="quiet">None</span> : <code>{customer}</code>}</dd>
    <dt>Account</dt>
    <dd>
      {account === null ? <span class="quiet">None</span> : <a href={accountPath(account)}>View account</a>}
    </dd>
    <dt>Error</dt>
    <dd>{fault ?? <span class="quiet">None</span>}</dd>
  </dl>
);
