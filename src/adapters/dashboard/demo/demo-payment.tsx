import { FormToken, Layout } from '../page/layout.js';
import type { Viewer } from '../state.js';

/** Where “Pay now” leads in the demo, which has no billing portal. */
export const DEMO_PAYMENT_PATH = '/dashboard/demo/payment';

export const demoPayment = (viewer: Viewer) => (
  <Layout title="Pay open invoices" viewer={viewer} activePath="/dashboard/subscription">
    <p>The payment processor of the demo is simulated. No money is asked for.</p>
    <form method="post" action="/dashboard/demo/acts">
      <FormToken viewer={viewer} />
      <input type="hidden" name="back" value="/dashboard/subscription" />
      <button type="submit" name="act" value="pay">
        Pay all invoices
      </button>
    </form>
  </Layout>
);
