import type { ComponentChildren } from 'preact';
import type { JoinedIdentity } from '../../../application/ports/sign-in/identities.js';
import { type Access, needsPayment } from '../../../domain/accounts/access.js';
import type { Account } from '../../../domain/accounts/account.js';
import { rulingSubscription } from '../../../domain/billing/billing.js';
import { type Plans, planOf, planTitle } from '../../../domain/billing/plan.js';
import { nextPlan } from '../../../domain/billing/plan-comparison.js';
import { keysInUse } from '../../../domain/keys/allowance.js';
import type { Limit } from '../../../domain/limits/rate-limit.js';
import type { Moment } from '../../../domain/moment.js';
import { Badge } from '../keys/key-state.js';
import { ContactText } from '../page/contact-text.js';
import { Layout } from '../page/layout.js';
import { Day } from '../page/moment.js';
import { Notice } from '../page/notice.js';
import { type BadgeKind, subscriptionText } from '../page/state-text.js';
import type { Viewer } from '../state.js';
import { Checkout, type CheckoutMode } from './checkout-page.js';
import { LimitBars } from './limit-bars.js';
import { InvoiceTable } from './open-invoices.js';
import { PlanCards } from './plan-cards.js';
import { SigningIn } from './signing-in.js';

type SubscriptionProps = {
  readonly viewer: Viewer;
  readonly account: Account;
  readonly plans: Plans;
  /** Null while the counters cannot be read. */
  readonly limits: readonly Limit[] | null;
  readonly identities: readonly JoinedIdentity[];
  readonly checkout: CheckoutMode;
  readonly now: Moment;
  readonly demo: ComponentChildren;
};

export const SubscriptionPage = (props: SubscriptionProps) => {
  const { viewer, account, limits, identities, demo } = props;
  return (
    <Layout
      title="Plan"
      viewer={viewer}
      activePath="/dashboard/subscription"
      modules={['live.js']}
      demo={demo}
      beside={<StatusBadge {...props} />}
    >
      <Payments {...props} />
      <Terms account={account} />
      <h2>Usage</h2>
      <p>All your keys and the Feed page share these limits. They reset at fixed times in UTC.</p>
      {limits === null ? (
        <Notice kind="warning">
          <p>Usage is not available right now. Try again in a moment.</p>
        </Notice>
      ) : (
        <LimitBars limits={limits} />
      )}
      <ThePlans {...props} />
      <h2>Sign-in methods</h2>
      <SigningIn {...{ viewer, account, identities }} />
    </Layout>
  );
};

const BADGES: Readonly<Record<Access['status'], BadgeKind>> = {
  served: 'good',
  at_risk: 'warning',
  refused: 'bad',
};

const StatusBadge = ({ viewer: { access }, account: { subscription }, plans }: SubscriptionProps) =>
  access === null ? null : (
    <Badge kind={BADGES[access.status]}>
      {`${planTitle(plans, subscription.plan)} · ${access.status === 'at_risk' ? 'Payment failed' : subscriptionText(subscription)}`}
    </Badge>
  );

/** Open invoices, and where to pay them. The banner of every page explains why requests are refused. */
const Payments = ({ viewer, account: { dunning }, now }: SubscriptionProps) => (
  <>
    <InvoiceTable viewer={viewer} dunning={dunning} now={now} />
    {viewer.payPath !== null && (
      <p>
        <a
          class={needsOtherPayment(viewer, dunning.length) ? 'button' : 'button plain'}
          href={viewer.payPath}
        >
          Invoices and payment method
        </a>
      </p>
    )}
  </>
);

/** Whether a payment is missing that no row of the page names. */
const needsOtherPayment = ({ access }: Viewer, openInvoices: number): boolean =>
  access !== null && needsPayment(access) && openInvoices === 0;

const ThePlans = ({ viewer, account, plans, checkout }: SubscriptionProps) => {
  const current = planOf(plans, account.subscription.plan);
  return (
    <>
      <h2>Plans</h2>
      {current !== undefined && (
        <PlanCards
          {...{ plans, current, keysInUse: keysInUse(account.keys), hasCheckout: checkout === 'link' }}
          isQuiet={viewer.payPath !== null && viewer.access !== null && needsPayment(viewer.access)}
        />
      )}
      <Checkout
        viewer={viewer}
        mode={checkout}
        hasUpgrades={current !== undefined && nextPlan(plans, current) !== null}
      />
      {checkout === null && viewer.payPath === null && viewer.support !== null && (
        <p>
          <ContactText text="Contact us to change your plan." support={viewer.support} />
        </p>
      )}
    </>
  );
};

const Terms = ({ account: { payments, openedAt, email } }: { readonly account: Account }) => {
  const terms = rulingSubscription(payments)?.terms.value ?? null;
  return (
    <dl class="facts">
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
