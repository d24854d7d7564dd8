import { KEYS_PATH } from '../keys/key-page.js';
import { FormToken } from '../page/layout.js';
import type { Viewer } from '../state.js';

/** An account that visitors of the demo can sign in to. */
export type DemoAccount = { readonly id: string; readonly label: string };

/** What visitors of the demo can simulate. */
export const DEMO_ACTIONS = [
  { name: 'fail', label: 'Fail a payment' },
  { name: 'pay', label: 'Pay all invoices' },
  { name: 'cancel', label: 'Cancel subscription' },
  { name: 'minutes', label: 'Advance 5 minutes' },
  { name: 'day', label: 'Advance 1 day' },
  { name: 'weeks', label: 'Advance 14 days' },
] as const;

export type DemoAction = (typeof DEMO_ACTIONS)[number]['name'];

export const DemoSignIn = ({ accounts }: { readonly accounts: readonly DemoAccount[] }) => (
  <section class="demo" aria-labelledby="demo">
    <h2 id="demo">This is a demo</h2>
    <p class="quiet">Sign in to one of its accounts. All data is lost when the demo stops.</p>
    <div class="demo-accounts">
      {accounts.map(({ id, label }) => (
        <form key={id} method="post" action="/dashboard/demo/sign-in">
          <button type="submit" class="plain wide" name="account" value={id}>
            {label}
          </button>
        </form>
      ))}
    </div>
  </section>
);

const DemoBar = ({ back, viewer }: { readonly back: string; readonly viewer: Viewer }) => (
  <details class="demo-bar">
    <summary>Demo · Simulate an event</summary>
    <form method="post" action="/dashboard/demo/acts" class="actions">
      <FormToken viewer={viewer} />
      <input type="hidden" name="back" value={back} />
      {DEMO_ACTIONS.map(({ name, label }) => (
        <button key={name} type="submit" name="act" value={name} class="plain">
          {label}
        </button>
      ))}
      <span class="quiet">All accounts and all visitors of this demo share one clock.</span>
    </form>
    {/* On a plan with one key a visitor cannot create another one. */}
    {back === KEYS_PATH && (
      <p class="quiet">
        The value of the first key is only in the terminal. Rotate that key to get a value here.
      </p>
    )}
  </details>
);

/** The controls of the demo; null outside the demo. `back` is the page to return to. */
export const demoBar =
  (isDemo: boolean) =>
  (back: string, { viewer }: { readonly viewer: Viewer }) =>
    isDemo ? <DemoBar back={back} viewer={viewer} /> : null;
