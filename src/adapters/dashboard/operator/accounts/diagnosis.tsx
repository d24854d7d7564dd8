import { Fragment } from 'preact';
import { accessOf } from '../../../../domain/accounts/access.js';
import type { Account } from '../../../../domain/accounts/account.js';
import {
  type Diagnosis,
  MENDS,
  type Mend,
  type RefusalCause,
} from '../../../../domain/accounts/refusal-diagnosis.js';
import { fromEpochMillis, type Moment } from '../../../../domain/moment.js';
import { OpenInvoices } from '../../billing/open-invoices.js';
import { At, Day, OnAt } from '../../page/moment.js';
import { Notice } from '../../page/notice.js';
import { actionPath, keyActionPath, tabPath } from '../addresses.js';
import { PaymentActions } from './account-payments.js';

type CauseText = {
  /** The status code of the refused requests. */
  readonly answers: 401 | 402 | 429;
  readonly why: string;
  readonly ends: string;
};

// biome-ignore format: a table is read by its columns
const CAUSES: Readonly<Record<RefusalCause, CauseText>> = {
  canceled:        { answers: 401, why: 'the subscription has ended, and its keys are revoked', ends: 'Its owner needs a new account to subscribe again.' },
  incomplete:      { answers: 402, why: 'the first payment is not complete',                     ends: 'Ends when the customer completes it.' },
  paused:          { answers: 402, why: 'the subscription is paused at the payment processor',   ends: 'Ends when it is resumed there.' },
  unpaid:          { answers: 402, why: 'the subscription is unpaid',                            ends: 'Ends when every open invoice is paid.' },
  payment_failure: { answers: 402, why: 'an invoice was not paid in time',                       ends: 'Ends when every open invoice is paid.' },
  abuse:           { answers: 402, why: 'the use of the keys looks like abuse',                  ends: 'Ends when an operator clears it.' },
  manual_hold:     { answers: 402, why: 'an operator placed a hold',                             ends: 'Ends when an operator releases it.' },
  key_hold:        { answers: 402, why: 'an operator placed a hold on it',                       ends: 'Ends when an operator releases it.' },
  keys_revoked:    { answers: 401, why: 'all keys are revoked',                                  ends: 'The owner has to create a new key.' },
  no_key:          { answers: 401, why: 'the account has no key',                                ends: 'The owner has to create one.' },
  quota_used:      { answers: 429, why: 'the quota is used up',                                  ends: '' },
};

type Props = {
  readonly account: Account;
  readonly diagnoses: readonly Diagnosis[];
  readonly now: Moment;
  readonly customerUrl: string | null;
};

/** Why requests of the customer are refused, in one sentence for each cause, with what mends it. */
export const DiagnosisBox = ({ account, diagnoses, now, customerUrl }: Props) => {
  const access = accessOf(account, now);
  const isRefused = diagnoses.some(({ key, cause }) => key === null && cause !== 'no_key');
  return (
    <Notice
      kind={isRefused ? 'bad' : access.status === 'at_risk' || diagnoses.length > 0 ? 'warning' : 'good'}
    >
      {diagnoses.length === 0 && access.status === 'served' && (
        <p>Nothing blocks this subscription. Requests are accepted.</p>
      )}
      {access.status === 'at_risk' && (
        <p>
          A payment failed. Requests are still accepted. Unless every open invoice is paid, access ends on{' '}
          <Day at={access.endsAt} /> at the latest.
        </p>
      )}
      {diagnoses.map((diagnosis) => (
        <Fragment key={`${diagnosis.cause} ${diagnosis.key?.id}`}>
          <Sentence diagnosis={diagnosis} />
          <MendLink {...{ account, diagnosis }} />
        </Fragment>
      ))}
      <OpenInvoices dunning={account.dunning} now={now} />
      {concernsPayments(account, diagnoses) && <PaymentActions {...{ account, customerUrl }} />}
    </Notice>
  );
};

const concernsPayments = (account: Account, diagnoses: readonly Diagnosis[]): boolean =>
  account.dunning.length > 0 || diagnoses.some(({ cause }) => MENDS[cause] === 'payment');

const Sentence = ({ diagnosis }: { readonly diagnosis: Diagnosis }) => {
  const { cause, since, key, limit } = diagnosis;
  const { answers, why, ends } = CAUSES[cause];
  return (
    <p>
      <strong>
        {key === null ? 'Requests' : `Requests with the key ${key.prefix}…`} return {answers}
        {since !== null && (
          <>
            {' '}
            since <At at={since} />
          </>
        )}
        : {why}
        {limit !== null && ` (per ${limit.policy.name})`}.
      </strong>{' '}
      {limit === null ? (
        ends
      ) : (
        <>
          Resets <OnAt at={fromEpochMillis(limit.endsAt * 1_000)} />.
        </>
      )}
    </p>
  );
};

/** The page that mends a cause; null if an operator cannot do anything about it. */
function mendOf(
  account: Account,
  { cause, key }: Diagnosis,
): { readonly path: string; readonly name: string } | null {
  const mend: Mend = MENDS[cause];
  switch (mend) {
    case 'payment':
      return { path: tabPath(account.id, 'payments'), name: 'See payments' };
    case 'release':
      return { path: actionPath(account, 'release'), name: 'Release subscription' };
    case 'lift-abuse':
      return { path: actionPath(account, 'lift-abuse'), name: 'Clear abuse suspension' };
    case 'release-key':
      return key === null ? null : { path: keyActionPath(account, key, 'release'), name: 'Release key' };
    case 'new-key':
    case 'none':
      return null;
  }
}

const MendLink = ({ account, diagnosis }: { readonly account: Account; readonly diagnosis: Diagnosis }) => {
  const mend = mendOf(account, diagnosis);
  return mend === null ? null : (
    <p>
      <a class="button" href={mend.path}>
        {mend.name}
      </a>
    </p>
  );
};
