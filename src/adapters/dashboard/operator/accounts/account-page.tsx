import type { ListedEvent } from '../../../../application/ports/billing/payment-inbox.js';
import type { JoinedIdentity } from '../../../../application/ports/sign-in/identities.js';
import { accessOf } from '../../../../domain/accounts/access.js';
import type { Account, AuditEntry } from '../../../../domain/accounts/account.js';
import { isDeleted } from '../../../../domain/accounts/account-deletion.js';
import type { AccountAction } from '../../../../domain/accounts/operator-actions.js';
import { namesNoPlan, rulingSubscription } from '../../../../domain/billing/billing.js';
import type { Destination } from '../../../../domain/destinations/destination.js';
import type { Limit } from '../../../../domain/limits/rate-limit.js';
import type { Moment } from '../../../../domain/moment.js';
import { IdentityTable } from '../../billing/signing-in.js';
import { LimitTable, OpenInvoices } from '../../billing/subscription-page.js';
import { Layout } from '../../page/layout.js';
import { At, AtOr, Day } from '../../page/moment.js';
import { Notice } from '../../page/notice.js';
import { obstacleNames, refusedAnswer, subscriptionText } from '../../page/state-text.js';
import type { Viewer } from '../../state.js';
import { actionPath, CONSOLE_PATH } from '../addresses.js';
import { EventTable } from '../billing/payment-event-page.js';
import { DestinationTable } from '../destinations/destination-table.js';
import { type ConsoleKey, KeyTable } from '../keys/key-table.js';
import { ACCOUNT_ACTION_TEXT, type DoneNotice } from './action-text.js';
import { AuditTable } from './audit.js';

export type AccountPageProps = {
  readonly viewer: Viewer;
  readonly account: Account;
  /** Of its plan. */
  readonly planTitle: string;
  readonly now: Moment;
  readonly notice: DoneNotice | null;
  /** Null while the counters cannot be read. */
  readonly limits: readonly Limit[] | null;
  readonly keys: readonly ConsoleKey[];
  readonly keysNotShown: number;
  /** Actions that would change the account now. */
  readonly actions: readonly AccountAction[];
  readonly audit: { readonly entries: readonly AuditEntry[]; readonly older: number | null };
  readonly events: readonly ListedEvent[];
  readonly identities: readonly JoinedIdentity[];
  readonly destinations: readonly Destination[];
};

export const AccountPage = (props: AccountPageProps) => {
  const { viewer, account, now, notice, limits, keys, keysNotShown, audit, events, identities } = props;
  const { destinations } = props;
  return (
    <Layout title={account.email} viewer={viewer} activePath={CONSOLE_PATH}>
      {notice !== null && (
        <Notice kind={notice.kind}>
          <p>{notice.text}</p>
        </Notice>
      )}
      <h2>Subscription</h2>
      <SubscriptionState account={account} now={now} />
      <Facts account={account} title={props.planTitle} />
      <Actions {...props} />
      <h2>Limits</h2>
      {limits === null ? (
        <p>Usage is not available right now. Try again in a moment.</p>
      ) : (
        <LimitTable limits={limits} />
      )}
      <h2>Keys</h2>
      {keys.length === 0 ? <p>No keys.</p> : <KeyTable account={account} keys={keys} now={now} />}
      {keysNotShown > 0 && <p class="quiet">Older revoked keys that are not shown: {keysNotShown}.</p>}
      <h2>Destinations</h2>
      {destinations.length === 0 ? (
        <p>No destinations.</p>
      ) : (
        <DestinationTable destinations={destinations} caption="Destinations, oldest first" />
      )}
      <h2>Sign-in methods</h2>
      <p>{isDeleted(account) ? 'The account is deleted. Nobody can sign in to it.' : signInText(props)}</p>
      {identities.length > 0 && <IdentityTable identities={identities} />}
      <h2>Payment events</h2>
      {events.length === 0 ? (
        <p>No payment events for this account.</p>
      ) : (
        <EventTable events={events} caption="Payment events, last received first" />
      )}
      <h2>Audit log</h2>
      <AuditTable account={account} {...audit} />
    </Layout>
  );
};

const signInText = ({ account, identities }: AccountPageProps): string =>
  `The owner can sign in with a link emailed to ${account.email}${
    identities.length === 0
      ? '. No identity provider is connected.'
      : ', or with one of these identity providers:'
  }`;

type AccountAt = { readonly account: Account; readonly now: Moment };

/** Whether requests are refused or soon will be, and why. */
const SubscriptionState = ({ account, now }: AccountAt) => {
  const access = accessOf(account, now);
  return (
    <Notice kind={access.status === 'refused' ? 'bad' : access.status === 'at_risk' ? 'warning' : 'good'}>
      <p>
        {access.status === 'served' && 'Nothing blocks this subscription. Requests are accepted.'}
        {access.status === 'at_risk' && (
          <>
            A payment failed. Requests are still accepted. Unless every open invoice is paid, access ends on{' '}
            <Day at={access.endsAt} /> at the latest.
          </>
        )}
        {access.status === 'refused' &&
          `Requests with the keys of this account return ${refusedAnswer(access)}. Cause: ${obstacleNames(access.obstacles)}.`}
      </p>
      <OpenInvoices dunning={account.dunning} now={now} />
    </Notice>
  );
};

const NO_PLAN_TEXT = 'last known: the price at the payment processor names no plan';

const Facts = ({ account, title }: { readonly account: Account; readonly title: string }) => {
  const { id, email, processorCustomerId, openedAt, subscription, payments } = account;
  const { monitoring } = subscription;
  const ruling = rulingSubscription(payments);
  const terms = ruling?.terms.value;
  return (
    <dl class="facts">
      <dt>Plan</dt>
      <dd>
        {title}
        {ruling !== null && namesNoPlan(ruling) && ` (${NO_PLAN_TEXT})`}
      </dd>
      <dt>Status</dt>
      <dd>{subscriptionText(subscription)}</dd>
      <dt>Trial ends</dt>
      <dd>
        <AtOr at={terms?.trialEndsAt ?? null} none="No trial" />
      </dd>
      <dt>Paid until</dt>
      <dd>
        <AtOr at={terms?.periodEndsAt ?? null} none="Unknown" />
      </dd>
      <dt>Abuse detection</dt>
      <dd>
        {monitoring.isOn ? 'On' : 'Off'} since <At at={monitoring.since} />
      </dd>
      <dt>Email</dt>
      <dd>{email}</dd>
      <dt>Opened</dt>
      <dd>
        <At at={openedAt} />
      </dd>
      <dt>Account ID</dt>
      <dd>
        <code>{id}</code>
      </dd>
      <dt>Subscription ID</dt>
      <dd>
        <code>{subscription.id}</code>
      </dd>
      <dt>Payment processor</dt>
      <dd>
        <AtProcessor customer={processorCustomerId} subscription={ruling?.id ?? null} />
      </dd>
    </dl>
  );
};

/** The ids of the account at the payment processor. */
const AtProcessor = (known: { readonly customer: string | null; readonly subscription: string | null }) => (
  <>
    {known.customer === null ? (
      <span class="quiet">Not linked</span>
    ) : (
      <>
        Customer <code>{known.customer}</code>
      </>
    )}
    {known.subscription !== null && (
      <>
        , subscription <code>{known.subscription}</code>
      </>
    )}
  </>
);

const Actions = ({ account, actions }: AccountPageProps) => (
  <p class="actions">
    {actions.map((action) => (
      <a
        key={action}
        href={actionPath(account, action)}
        class={ACCOUNT_ACTION_TEXT[action].isDangerous ? 'danger' : undefined}
      >
        {ACCOUNT_ACTION_TEXT[action].name}
      </a>
    ))}
  </p>
);
