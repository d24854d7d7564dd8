import type { AdvanceClock } from '../../../application/advance-clock.js';
import type { StartSession } from '../../../application/sign-in/start-session.js';
import type { Account, AccountId } from '../../../domain/accounts/account.js';
import { DAY, type Duration, MINUTE } from '../../../domain/moment.js';
import { answerPage } from '../page/answer.js';
import { answerError } from '../page/error-page.js';
import type { PageRoute } from '../page-router.js';
import type { SignInOptions } from '../sign-in/sign-in-options.js';
import { goTo } from '../state.js';
import { type FormPage, type HolderVisit, openForm, type Visits } from '../visit.js';
import { DEMO_ACTIONS, type DemoAccount, type DemoAction } from './demo-bar.js';
import { DEMO_PAYMENT_PATH, demoPayment } from './demo-payment.js';

/** Outcomes that the fake payment processor can simulate. */
type Outcome = 'fail' | 'pay' | 'cancel';

/** The fake payment processor. */
export type FakePayments = (account: Account, outcome: Outcome) => Promise<unknown>;

export type DemoParts = {
  readonly demoAccounts: () => readonly DemoAccount[];
  readonly startSession: StartSession;
  readonly advanceClock: AdvanceClock;
};

// biome-ignore format: a table is read by its columns
const ACTIONS: Readonly<Record<DemoAction, { readonly outcome: Outcome } | { readonly advance: Duration }>> = {
  fail:    { outcome: 'fail' },
  pay:     { outcome: 'pay' },
  cancel:  { outcome: 'cancel' },
  minutes: { advance: 5 * MINUTE },
  day:     { advance: DAY },
  weeks:   { advance: 14 * DAY },
};

/** Sign-in with one click, and simulated events. */
export function demoRoutes(
  demo: DemoParts,
  fakePayments: FakePayments,
  visits: Visits<HolderVisit>,
  signInOptions: SignInOptions,
): readonly PageRoute[] {
  const signIn = openForm(async (ctx, form) => {
    const chosen = demo.demoAccounts().find(({ id }) => id === form.get('account'));
    if (chosen === undefined) return answerError(ctx, 'not found');
    const holder = { kind: 'account', account: chosen.id as AccountId } as const;
    return signInOptions.welcome(ctx, await demo.startSession(holder, signInOptions.previous(ctx)));
  });

  const takeAction: FormPage<HolderVisit> = async (ctx, { account, session, secret }, form) => {
    const known = DEMO_ACTIONS.find(({ name }) => name === form.get('act'));
    if (known === undefined) return answerError(ctx, 'not a form');
    const effect = ACTIONS[known.name];
    if ('outcome' in effect) await fakePayments(account, effect.outcome);
    else await demo.advanceClock(effect.advance);
    // Advancing the clock by weeks must not end the visitor's session.
    signInOptions.welcome(ctx, await demo.startSession(session.holder, secret));
    goTo(ctx, ownPath(form.get('back') ?? ''));
  };

  return [
    { path: DEMO_PAYMENT_PATH, GET: visits.page((ctx, { viewer }) => answerPage(ctx, demoPayment(viewer))) },
    { path: '/dashboard/demo/sign-in', POST: signIn },
    { path: '/dashboard/demo/acts', POST: visits.form(takeAction) },
  ];
}

/** `back` if it is a dashboard page, otherwise the Keys page: no redirect to other sites. */
export const ownPath = (back: string): string =>
  /^\/dashboard(\/[a-z0-9_]+)+$/.test(back) ? back : '/dashboard/keys';
