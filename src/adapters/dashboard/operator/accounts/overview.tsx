import type { JoinedIdentity } from '../../../../application/ports/sign-in/identities.js';
import type { Account } from '../../../../domain/accounts/account.js';
import { isDeleted } from '../../../../domain/accounts/account-deletion.js';
import type { AccountAction } from '../../../../domain/accounts/operator-actions.js';
import type { Diagnosis } from '../../../../domain/accounts/refusal-diagnosis.js';
import { whyNotChangePlan } from '../../../../domain/billing/account-plan.js';
import { namesNoPlan, rulingSubscription } from '../../../../domain/billing/billing.js';
import type { Moment } from '../../../../domain/moment.js';
import { IdentityTable } from '../../billing/signing-in.js';
import { At } from '../../page/moment.js';
import { subscriptionText } from '../../page/state-text.js';
import { actionPath, newKeyPath, planChangePath } from '../addresses.js';
import { ACCOUNT_ACTION_TEXT } from './action-text.js';
import { DiagnosisBox } from './diagnosis.js';

type OverviewProps = {
  readonly account: Account;
  /** Of its plan. */
  readonly planTitle: string;
  readonly now: Moment;
  /** The page of its customer at the payment processor; null if there is none. */
  readonly customerUrl: string | null;
  readonly diagnoses: readonly Diagnosis[];
  /** Actions that would change the account now. */
  readonly actions: readonly AccountAction[];
  readonly identities: readonly JoinedIdentity[];
};

/** Why the customer is refused comes first: it is what operators are asked. */
export const Overview = (props: OverviewProps) => {
  const { account, now, diagnoses, identities, customerUrl } = props;
  return (
    <>
      <DiagnosisBox {...{ account, diagnoses, now, customerUrl }} />
      <ActionMenu {...props} />
      <Facts account={account} title={props.planTitle} />
      <h2>Sign-in methods</h2>
      <p>{isDeleted(account) ? 'The account is deleted. Nobody can sign in to it.' : signInText(props)}</p>
      {identities.length > 0 && <IdentityTable identities={identities} />}
    </>
  );
};

const signInText = ({ account, identities }: OverviewProps): string =>
  `The owner can sign in with a link emailed to ${account.email}${
    identities.length === 0
      ? '. No identity provider is connected.'
      : ', or with one of these identity providers:'
  }`;

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
      <KnownTime name="Trial ends" at={terms?.trialEndsAt ?? null} />
      <KnownTime name="Paid until" at={terms?.periodEndsAt ?? null} />
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
      {processorCustomerId !== null && (
        <>
          <dt>Payment processor</dt>
          <dd>
            <AtProcessor customer={processorCustomerId} subscription={ruling?.id ?? null} />
          </dd>
        </>
      )}
    </dl>
  );
};

/** Left out while it is not known. */
const KnownTime = ({ name, at }: { readonly name: string; readonly at: Moment | null }) =>
  at === null ? null : (
    <>
      <dt>{name}</dt>
      <dd>
        <At at={at} />
      </dd>
    </>
  );

/** The ids of the account at the payment processor. */
const AtProcessor = (known: { readonly customer: string; readonly subscription: string | null }) => (
  <>
    Customer <code>{known.customer}</code>
    {known.subscription !== null && (
      <>
        , subscription <code>{known.subscription}</code>
      </>
    )}
  </>
);

const ActionMenu = ({ account, actions }: OverviewProps) =>
  actions.length === 0 ? null : (
    <details class="menu">
      <summary>Actions</summary>
      <ul>
        <li>
          <a href={newKeyPath(account.id)}>Create key</a>
        </li>
        {whyNotChangePlan(account) === null && (
          <li>
            <a href={planChangePath(account.id)}>Change plan</a>
          </li>
        )}
        {actions.map((action) => (
          <li key={action} class={action === 'delete' ? 'final' : undefined}>
            <a href={actionPath(account, action)}>{ACCOUNT_ACTION_TEXT[action].name}</a>
          </li>
        ))}
      </ul>
    </details>
  );
