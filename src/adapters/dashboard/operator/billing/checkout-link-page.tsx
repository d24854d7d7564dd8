import type { RefusedCheckout } from '../../../../application/billing/link-checkout.js';
import type { ListedEvent } from '../../../../application/ports/billing/payment-inbox.js';
import { Layout, type Viewer } from '../../page/layout.js';
import { Notice } from '../../page/notice.js';
import { accountPath, EVENTS_PATH, eventLinkPath, eventPath } from '../addresses.js';
import { type ReasonFault, ReasonForm } from '../reason-form.js';

export type CheckoutLinkProps = {
  readonly viewer: Viewer;
  readonly event: ListedEvent;
  readonly checkout: RefusedCheckout;
  readonly fault: ReasonFault | null;
};

/** Says what it means to link a checkout whose reference was refused, and asks why. */
export const CheckoutLinkPage = ({ viewer, event, checkout, fault }: CheckoutLinkProps) => {
  const { account, customer } = checkout;
  return (
    <Layout title="Link a customer" viewer={viewer} activePath={EVENTS_PATH}>
      <p>
        The customer <code>{customer}</code> of the payment processor, to the account of{' '}
        <a href={accountPath(account.id)}>{account.email}</a>.
      </p>
      <Notice kind="warning">
        <p>
          Anybody could have named this account in a checkout of their own. Link it only if you know from
          elsewhere that the customer pays for this account: look the customer up at the processor, and
          compare the e-mail address.
        </p>
        <p>
          From then on the plan and state of the account are those of this customer’s subscription, and its
          cancellation revokes the keys of the account. An account stays linked to its customer for good.
        </p>
      </Notice>
      <ReasonForm
        {...{ viewer, fault }}
        action={eventLinkPath(event.id)}
        button="Link the customer"
        isDangerous={true}
      >
        <a href={eventPath(event.id)}>Leave it as it is</a>
      </ReasonForm>
    </Layout>
  );
};
