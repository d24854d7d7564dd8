import type { ListedEvent } from '../../../../application/ports/billing/payment-inbox.js';
import type { Account } from '../../../../domain/accounts/account.js';
import { isDeleted } from '../../../../domain/accounts/account-deletion.js';
import { hasPaymentNotice } from '../../../../domain/accounts/repeated-notice.js';
import type { Moment } from '../../../../domain/moment.js';
import { OpenInvoices } from '../../billing/open-invoices.js';
import { ExternalLink } from '../../page/external-link.js';
import { actionPath, customerLinkPath } from '../addresses.js';
import { EventTable } from '../billing/payment-event-page.js';
import { ACCOUNT_ACTION_TEXT } from './action-text.js';

type Props = {
  readonly account: Account;
  /** The page of its customer at the payment processor; null if there is none. */
  readonly customerUrl: string | null;
  readonly events: readonly ListedEvent[];
  readonly now: Moment;
};

/** Open invoices and payment events, with what an operator can do about them. */
export const AccountPayments = ({ account, customerUrl, events, now }: Props) => (
  <>
    {account.dunning.length === 0 ? (
      <p>No open invoices.</p>
    ) : (
      <OpenInvoices dunning={account.dunning} now={now} />
    )}
    <PaymentActions account={account} customerUrl={customerUrl} />
    {events.length === 0 ? (
      <p>No payment events for this account.</p>
    ) : (
      <EventTable events={events} caption="Payment events, last received first" />
    )}
  </>
);

/** Links to the processor, and to what an operator can do about payments. */
export const PaymentActions = ({ account, customerUrl }: Pick<Props, 'account' | 'customerUrl'>) => {
  const canLink = account.processorCustomerId === null && !isDeleted(account);
  const canRepeat = hasPaymentNotice(account);
  return customerUrl === null && !canLink && !canRepeat ? null : (
    <p class="actions">
      {customerUrl !== null && (
        <ExternalLink href={customerUrl}>Customer at the payment processor</ExternalLink>
      )}
      {canRepeat && (
        <a href={actionPath(account, 'repeat-notice')}>{ACCOUNT_ACTION_TEXT['repeat-notice'].name}</a>
      )}
      {canLink && <a href={customerLinkPath(account.id)}>Link customer</a>}
    </p>
  );
};
