import type { RefusedCheckout } from '../../../../application/billing/link-checkout.js';
import type { ListedEvent } from '../../../../application/ports/billing/payment-inbox.js';
import { Layout } from '../../page/layout.js';
import { Notice } from '../../page/notice.js';
import type { Viewer } from '../../state.js';
import { accountPath, EVENTS_PATH, eventLinkPath, eventPath } from '../addresses.js';
import { type ReasonFault, ReasonForm } from '../reason-form.js';

export type CheckoutLinkProps = {
  readonly viewer: Viewer;
  readonly event: ListedEvent;
  readonly checkout: RefusedCheckout;
  readonly fault: ReasonFault | null;
};

/** Explains what linking a checkout with a refused reference means, and asks for a reason. */
export const CheckoutLinkPage = ({ viewer, event, checkout, fault }: CheckoutLinkProps) => {
  const { account, customer } = checkout;
  return (
    <Layout title="Link customer" viewer={viewer} activePath={EVENTS_PATH}>
      <p>
        Link the payment processor customer <code>{customer}</code> to the account of{' '}
        <a href={accountPath(account.id)}>{account.email}</a>.
      </p>
      <Notice kind="warning">
        <p>
          Anyone can name this account in a checkout. Link the customer only if you know that they pay for
          this account. Look up the customer at the payment processor and compare the email addresses.
        </p>
        <p>
          The customer’s subscription then determines the plan and status of the account. Canceling it revokes
          the keys of the account. The link cannot be removed.
        </p>
      </Notice>
      <ReasonForm
        {...{ viewer, fault }}
        action={eventLinkPath(event.id)}
        button="Link customer"
        isDangerous={true}
      >
        <a href={eventPath(event.id)}>Cancel</a>
      </ReasonForm>
    </Layout>
  );
};
