import { FormToken, type Viewer } from '../page/layout.js';

/** An account that visitors of the demo may be. */
export type DemoAccount = { readonly id: string; readonly label: string };

/** What visitors of the demo can let happen, beside what a customer can. */
export const DEMO_ACTIONS = [
  { name: 'fail', label: 'A payment fails' },
  { name: 'pay', label: 'Everything is paid' },
  { name: 'cancel', label: 'The subscription is canceled' },
  { name: 'minutes', label: '5 minutes pass' },
  { name: 'day', label: 'A day passes' },
  { name: 'weeks', label: '14 days pass' },
] as const;

export type DemoAction = (typeof DEMO_ACTIONS)[number]['name'];

export const DemoSignIn = ({ accounts }: { readonly accounts: readonly DemoAccount[] }) => (
  <section class="demo" aria-labelledby="demo">
    <h2 id="demo">This is a demo</h2>
    <p>Be one of its three account holders: nothing outlives the process.</p>
    <div class="actions">
      {accounts.map(({ id, label }) => (
        <form key={id} method="post" action="/dashboard/demo/sign-in">
          <button type="submit" name="account" value={id}>
            {label}
          </button>
        </form>
      ))}
    </div>
  </section>
);

const DemoBar = ({ back, viewer }: { readonly back: string; readonly viewer: Viewer }) => (
  <section class="demo" aria-label="Demo">
    <form method="post" action="/dashboard/demo/acts" class="actions">
      <FormToken viewer={viewer} />
      <input type="hidden" name="back" value={back} />
      <span>In this demo you decide what happens:</span>
      {DEMO_ACTIONS.map(({ name, label }) => (
        <button key={name} type="submit" name="act" value={name} class="plain">
          {label}
        </button>
      ))}
      <span class="quiet">Time passes on one clock for every account and every visitor of this demo.</span>
    </form>
  </section>
);

/** The bar under a page in the demo; nothing elsewhere. `back` is the page to come back to. */
export const demoBar =
  (isDemo: boolean) =>
  (back: string, { viewer }: { readonly viewer: Viewer }) =>
    isDemo ? <DemoBar back={back} viewer={viewer} /> : null;
