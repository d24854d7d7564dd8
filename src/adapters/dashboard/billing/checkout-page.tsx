import type { ComponentChildren } from 'preact';
import type { IssuedReference } from '../../../domain/billing/checkout-reference.js';
import { FormToken, Layout } from '../page/layout.js';
import { OnAt } from '../page/moment.js';
import type { Viewer } from '../state.js';

export const SUBSCRIPTION_PATH = '/dashboard/subscription';
export const CHECKOUT_PATH = `${SUBSCRIPTION_PATH}/checkout`;

/** How the Plan page leads to a checkout; null if it does not. */
export type CheckoutMode = 'link' | 'reference' | null;

/** How to pay for a plan below the plans, which have the links, for an account that is not a customer of the payment processor yet. */
export const Checkout = ({
  viewer,
  mode,
  hasUpgrades,
}: {
  readonly viewer: Viewer;
  readonly mode: CheckoutMode;
  readonly hasUpgrades: boolean;
}) => {
  if (mode === null) return null;
  return mode === 'link' ? (
    <>
      <p>You pay on the site of our payment processor. Your plan starts once the payment is confirmed.</p>
      {!hasUpgrades && (
        <a class="button plain" href={CHECKOUT_PATH}>
          Subscribe
        </a>
      )}
    </>
  ) : (
    <form method="post" action={CHECKOUT_PATH}>
      <FormToken viewer={viewer} />
      <p>To pay for a plan, you need a checkout reference. It links the payment to this account.</p>
      <button type="submit">Create checkout reference</button>
    </form>
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
      Enter this reference where the checkout asks for one, or send it to us. It expires{' '}
      <OnAt at={expiresAt} />.
    </p>
    <div class="copyable">
      <code id="checkout-reference">{reference}</code>
      <button type="button" data-copies="checkout-reference" hidden>
        Copy reference
      </button>
    </div>
    <p>
      Do not share it with anyone else. Whoever pays with it controls the plan of this account. If they
      cancel, your keys are revoked.
    </p>
    <p>
      <a class="button" href={SUBSCRIPTION_PATH}>
        Back to plan
      </a>
    </p>
  </Layout>
);
