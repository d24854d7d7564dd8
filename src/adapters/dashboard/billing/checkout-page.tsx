import type { ComponentChildren } from 'preact';
import type { IssuedReference } from '../../../domain/billing/checkout-reference.js';
import { FormToken, Layout, type Viewer } from '../page/layout.js';
import { At } from '../page/moment.js';

export const SUBSCRIPTION_PATH = '/dashboard/subscription';
export const CHECKOUT_PATH = `${SUBSCRIPTION_PATH}/checkout`;

/** How the page of a subscription leads to a checkout; null where it does not. */
export type WayToCheckout = 'link' | 'reference' | null;

/** How to pay for a plan, on the page of a subscription that is not paid for at the processor yet. */
export const Checkout = ({ viewer, way }: { readonly viewer: Viewer; readonly way: WayToCheckout }) => {
  if (way === null) return null;
  return (
    <>
      <h2>Subscribe</h2>
      {way === 'link' ? (
        <>
          <p>You pay at our payment processor. The plan starts here as soon as it reports the payment.</p>
          <p>
            <a class="button" href={CHECKOUT_PATH}>
              Subscribe
            </a>
          </p>
        </>
      ) : (
        <form method="post" action={CHECKOUT_PATH}>
          <FormToken viewer={viewer} />
          <p>
            To pay for a plan you need a checkout reference: it says that the payment is for this account.
          </p>
          <button type="submit">Make a checkout reference</button>
        </form>
      )}
    </>
  );
};

export const CheckoutReferencePage = ({
  viewer,
  issued: { reference, expiresAt },
  demo,
}: {
  readonly viewer: Viewer;
  readonly issued: IssuedReference;
  readonly demo: ComponentChildren;
}) => (
  <Layout
    title="Your checkout reference"
    viewer={viewer}
    activePath={SUBSCRIPTION_PATH}
    modules={['copy.js']}
    demo={demo}
  >
    <p>
      Paste it where the checkout asks for a reference, or send it to the people who run this service. Use it
      until <At at={expiresAt} />.
    </p>
    <div class="copyable">
      <code id="checkout-reference">{reference}</code>
      <button type="button" data-copies="checkout-reference" hidden>
        Copy reference
      </button>
    </div>
    <p>
      Whoever pays with it becomes the customer of this account, and ends its keys by canceling: give it to
      nobody else.
    </p>
    <p>
      <a class="button" href={SUBSCRIPTION_PATH}>
        Back to the subscription
      </a>
    </p>
  </Layout>
);
