import type { ComponentChildren } from 'preact';
import type { JoinedIdentity } from '../../../application/ports/identities.js';
import type { Account } from '../../../domain/account.js';
import { causesOf } from '../../../domain/api-key.js';
import { rulingSubscription } from '../../../domain/billing.js';
import { fromEpochMillis, type Moment } from '../../../domain/moment.js';
import type { Limit } from '../../../domain/rate-limit.js';
import { CardTable, Cell } from '../page/card-table.js';
import { CAUSE_WORDS, STATE_WORDS } from '../page/cause-words.js';
import { Layout, Notice, type Viewer } from '../page/layout.js';
import { At, Day } from '../page/moment.js';
import { dunningWords } from './dunning-words.js';
import { SigningIn } from './signing-in.js';

type SubscriptionProps = {
  readonly viewer: Viewer;
  readonly account: Account;
  /** Null while nobody can say. */
  readonly limits: readonly Limit[] | null;
  readonly identities: readonly JoinedIdentity[];
  readonly hasPortal: boolean;
  readonly now: Moment;
  readonly demo: ComponentChildren;
};

export const SubscriptionPage = (props: SubscriptionProps) => {
  const { viewer, account, limits, identities, demo } = props;
  return (
    <Layout title="Subscription" viewer={viewer} place="/dashboard/subscription" demo={demo}>
      <Standing {...props} />
      <Terms account={account} />
      <h2>Limits</h2>
      <p>All your keys share them. They are counted in fixed windows, in UTC.</p>
      {limits === null ? (
        <Notice kind="warning">
          <p>Where you stand cannot be told just now. Try again in a moment.</p>
        </Notice>
      ) : (
        <LimitTable limits={limits} />
      )}
      <h2>Signing in</h2>
      <SigningIn {...{ viewer, account, identities }} />
    </Layout>
  );
};

/** What stops requests, or is about to; and where to settle it. */
const Standing = ({ account, hasPortal, now }: SubscriptionProps) => {
  const { subscription, dunning, pending } = account;
  const causes = causesOf(subscription.standing);
  const { refused } = STATE_WORDS[subscription.state];
  const stopsAt = pending.find(({ event }) => event === 'payment_failed')?.at ?? null;
  const isStopped = causes.length > 0 || refused !== null;
  return (
    <>
      {!isStopped && dunning.length === 0 && (
        <Notice kind="good">
          <p>All is well: requests are served.</p>
        </Notice>
      )}
      {(isStopped || dunning.length > 0) && (
        <Notice kind={isStopped ? 'bad' : 'warning'}>
          {isStopped && (
            <p>
              <strong>Requests get 402 for now.</strong> No key is lost.
            </p>
          )}
          {causes.map((cause) => (
            <p key={cause}>
              {CAUSE_WORDS[cause].why} {CAUSE_WORDS[cause].wayBack}
            </p>
          ))}
          {refused !== null && (
            <p>
              {refused.why} {refused.wayBack}
            </p>
          )}
          {dunning.map((invoice) => (
            <p key={invoice.id}>
              Invoice <code>{invoice.id}</code>:{' '}
              {dunningWords(
                invoice,
                causes.includes('payment_failure') ? null : (stopsAt ?? invoice.deadline),
                now,
              )}
            </p>
          ))}
        </Notice>
      )}
      {hasPortal && (
        <p>
          <a class="button" href="/dashboard/subscription/portal">
            Invoices and payment method
          </a>
        </p>
      )}
    </>
  );
};

const Terms = ({ account }: { readonly account: Account }) => {
  const { subscription, payments, openedAt, email } = account;
  const terms = rulingSubscription(payments)?.terms.value ?? null;
  return (
    <dl class="facts">
      <dt>Plan</dt>
      <dd>{subscription.plan}</dd>
      <dt>State</dt>
      <dd>{STATE_WORDS[subscription.state].name}</dd>
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
        {email}, since <Day at={openedAt} />
      </dd>
    </dl>
  );
};

const LIMIT = { words: 'Limit', isNumber: true } as const;
const USED = { words: 'Used', isNumber: true } as const;

export const LimitTable = ({ limits }: { readonly limits: readonly Limit[] }) => (
  <CardTable caption="Used in the present window" columns={['Window', LIMIT, USED, 'Resets']}>
    {limits.map(({ policy, remaining, endsAt }) => (
      <tr key={policy.name}>
        <th scope="row">per {policy.name}</th>
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
