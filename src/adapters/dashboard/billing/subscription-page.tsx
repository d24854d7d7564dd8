import type { ComponentChildren } from 'preact';
import type { JoinedIdentity } from '../../../application/ports/sign-in/identities.js';
import type { Account } from '../../../domain/accounts/account.js';
import { rulingSubscription } from '../../../domain/billing/billing.js';
import type { Dunning } from '../../../domain/billing/dunning.js';
import type { Limit } from '../../../domain/limits/rate-limit.js';
import { fromEpochMillis, type Moment } from '../../../domain/moment.js';
import { CardTable, Cell } from '../page/card-table.js';
import { Layout } from '../page/layout.js';
import { At, Day } from '../page/moment.js';
import { Notice } from '../page/notice.js';
import { subscriptionText } from '../page/state-text.js';
import type { Viewer } from '../state.js';
import { Checkout, type CheckoutMode } from './checkout-page.js';
import { dunningText } from './dunning-text.js';
import { SigningIn } from './signing-in.js';

type SubscriptionProps = {
  readonly viewer: Viewer;
  readonly account: Account;
  /** Of its plan. */
  readonly planTitle: string;
  /** Null while the counters cannot be read. */
  readonly limits: readonly Limit[] | null;
  readonly identities: readonly JoinedIdentity[];
  readonly hasPortal: boolean;
  readonly checkout: CheckoutMode;
  readonly now: Moment;
  readonly demo: ComponentChildren;
};

export const SubscriptionPage = (props: SubscriptionProps) => {
  const { viewer, account, limits, identities, checkout, demo } = props;
  return (
    <Layout title="Plan" viewer={viewer} activePath="/dashboard/subscription" demo={demo}>
      <Payments {...props} />
      <Terms account={account} title={props.planTitle} />
      <Checkout viewer={viewer} mode={checkout} />
      <h2>Limits</h2>
      <p>All your keys and the Feed page share these limits. They reset at fixed times in UTC.</p>
      {limits === null ? (
        <Notice kind="warning">
          <p>Usage is not available right now. Try again in a moment.</p>
        </Notice>
      ) : (
        <LimitTable limits={limits} />
      )}
      <h2>Sign-in methods</h2>
      <SigningIn {...{ viewer, account, identities }} />
    </Layout>
  );
};

/** Open invoices, and where to pay them. The banner of every page explains why requests are refused. */
const Payments = ({ viewer, account, hasPortal, now }: SubscriptionProps) => (
  <>
    {viewer.access?.status === 'served' && viewer.access.heldKeys.length === 0 && (
      <Notice kind="good">
        <p>No problems. Your requests are accepted.</p>
      </Notice>
    )}
    <OpenInvoices dunning={account.dunning} now={now} />
    {hasPortal && (
      <p>
        <a class="button" href="/dashboard/subscription/portal">
          Invoices and payment method
        </a>
      </p>
    )}
  </>
);

export const OpenInvoices = ({ dunning, now }: { readonly dunning: Dunning; readonly now: Moment }) =>
  dunning.length === 0 ? null : (
    <ul>
      {dunning.map((invoice) => (
        <li key={invoice.id}>
          Open invoice <code>{invoice.id}</code>: {dunningText(invoice, now)}
        </li>
      ))}
    </ul>
  );

const Terms = ({ account, title }: { readonly account: Account; readonly title: string }) => {
  const { subscription, payments, openedAt, email } = account;
  const terms = rulingSubscription(payments)?.terms.value ?? null;
  return (
    <dl class="facts">
      <dt>Plan</dt>
      <dd>{title}</dd>
      <dt>Status</dt>
      <dd>{subscriptionText(subscription)}</dd>
      {terms?.trialEndsAt != null && (
        <>
          <dt>Trial ends</dt>
          <dd>
            <Day at={terms.trialEndsAt} />
          </dd>
        </>
      )}
      {terms?.periodEndsAt != null && (
        <>
          <dt>Paid until</dt>
          <dd>
            <Day at={terms.periodEndsAt} />
          </dd>
        </>
      )}
      <dt>Account</dt>
      <dd>
        {email}, opened on <Day at={openedAt} />
      </dd>
    </dl>
  );
};

const LIMIT = { label: 'Limit', isNumber: true } as const;
const USED = { label: 'Used', isNumber: true } as const;

export const LimitTable = ({ limits }: { readonly limits: readonly Limit[] }) => (
  <CardTable caption="Usage in the current window" columns={['Window', LIMIT, USED, 'Resets']}>
    {limits.map(({ policy, remaining, endsAt }) => (
      <tr key={policy.name}>
        <th scope="row">Per {policy.name}</th>
        <Cell of={LIMIT}>{policy.quota.toLocaleString('en-US')}</Cell>
        <Cell of={USED}>
          <meter
            min={0}
            max={policy.quota}
            value={policy.quota - remaining}
            aria-label={`Used per ${policy.name}`}
          />{' '}
          {(policy.quota - remaining).toLocaleString('en-US')}
        </Cell>
        <Cell of="Resets">
          <At at={fromEpochMillis(endsAt * 1_000)} />
        </Cell>
      </tr>
    ))}
  </CardTable>
);
