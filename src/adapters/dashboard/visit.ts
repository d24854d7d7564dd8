import { createHash, timingSafeEqual } from 'node:crypto';
import type { OpenPortal } from '../../application/billing/open-portal.js';
import type { Accounts } from '../../application/ports/accounts/accounts.js';
import type { Clock } from '../../application/ports/clock.js';
import type { FindSession } from '../../application/sign-in/find-session.js';
import { accessOf } from '../../domain/accounts/access.js';
import type { Account } from '../../domain/accounts/account.js';
import { applyDue } from '../../domain/accounts/account-due.js';
import { type Plans, planTitle } from '../../domain/billing/plan.js';
import type { Moment } from '../../domain/moment.js';
import type { OperatorProof, Session } from '../../domain/sign-in/session.js';
import type { CookieJar } from './cookies.js';
import { isFromHere, readForm } from './form.js';
import { answerError } from './page/error-page.js';
import { type Contact, type Context, goTo, type Handler, type Viewer } from './state.js';

/** A page view of a signed-in user. */
type Visit = {
  readonly session: Session;
  /** The secret of the session. */
  readonly secret: string;
  readonly viewer: Viewer;
  readonly now: Moment;
};

/** A customer. The account includes due changes that the background job has not applied yet (`account-due.ts`). */
export type HolderVisit = Visit & { readonly account: Account };
/** An operator. `name` is the actor in the audit log. */
export type OperatorVisit = Visit & { readonly name: string };

export type Page<V> = (ctx: Context, visit: V) => Promise<void> | void;
export type FormPage<V> = (ctx: Context, visit: V, form: URLSearchParams) => Promise<void> | void;

/**
 * The form token of a session: a hash of the secret in the cookie. Other sites cannot read the cookie, and the token does
 * not reveal the secret.
 */
const formTokenOf = (secret: string): string =>
  createHash('sha256').update(`form ${secret}`).digest('base64url');

export const PORTAL_PATH = '/dashboard/subscription/portal';

/** In the order of the navigation. The brand leads to the first one. */
const HOLDER_PAGES = [
  { path: '/dashboard/feed', label: 'Feed' },
  { path: '/dashboard/markets', label: 'Markets' },
  { path: '/dashboard/keys', label: 'Keys' },
  { path: '/dashboard/usage', label: 'Usage' },
  { path: '/dashboard/destinations', label: 'Destinations' },
  { path: '/dashboard/subscription', label: 'Plan' },
] as const;

const OPERATOR_PAGES = [
  { path: '/operator', label: 'Console' },
  { path: '/operator/ingestion', label: 'Ingestion' },
  { path: '/operator/plans', label: 'Plans' },
  { path: '/operator/payment-events', label: 'Payment events' },
  { path: '/operator/destinations', label: 'Destinations' },
  { path: '/operator/purges', label: 'Purges' },
] as const;

export type Visits<V> = {
  /** A page for signed-in users; others are redirected to the sign-in page. */
  readonly page: (show: Page<V>) => Handler;
  /** A form of a signed-in user, sent from a page of the same session. */
  readonly form: (take: FormPage<V>) => Handler;
  /** The visit of a connection that has stayed open, read again; null if its session has ended. */
  readonly again: (ctx: Context) => Promise<V | null>;
  /** The signed-in user, for pages without a visit. */
  readonly viewerOf: (ctx: Context) => Promise<Viewer | null>;
};

type Parts = { readonly findSession: FindSession; readonly cookies: CookieJar; readonly clock: Clock };

export function holderVisits(
  parts: Parts & {
    readonly accounts: Accounts;
    readonly plans: Plans;
    /** Null without a payment processor. */
    readonly openPortal: OpenPortal | null;
    /** Where the demo pays, without a customer; null outside of it. */
    readonly demoPaymentPath: string | null;
    readonly support: Contact | null;
  },
): Visits<HolderVisit> {
  const { findSession, cookies, accounts, plans, openPortal, demoPaymentPath, support, clock } = parts;
  return visits(async (ctx) => {
    const secret = cookies.read(ctx, 'session');
    const session = secret === null ? null : await findSession(secret, isVisit(ctx));
    if (secret === null || session?.holder.kind !== 'account') return null;
    const found = await accounts.find(session.holder.account);
    if (found === null) return null;
    const hasPortal = openPortal !== null && found.processorCustomerId !== null;
    const person = {
      name: found.email,
      planTitle: planTitle(plans, found.subscription.plan),
      payPath: hasPortal ? PORTAL_PATH : demoPaymentPath,
      support,
    };
    const viewer = viewerOf(person, secret, HOLDER_PAGES, '/dashboard/sign-out');
    return visitTo(found, { session, secret, now: clock(), viewer });
  }, '/dashboard/sign-in');
}

/** The visit with an account that was just read, due changes applied. */
export function visitTo(found: Account, visit: Visit): HolderVisit {
  const account = applyDue(found, visit.now).next;
  const viewer = { ...visit.viewer, access: accessOf(account, visit.now) };
  return { ...visit, viewer, account };
}

export function operatorVisits(
  parts: Parts & { readonly isProofValid: (proof: OperatorProof) => boolean },
): Visits<OperatorVisit> {
  const { findSession, cookies, clock } = parts;
  return visits(async (ctx) => {
    const secret = cookies.read(ctx, 'operator');
    const session = secret === null ? null : await findSession(secret, isVisit(ctx));
    if (secret === null || session?.holder.kind !== 'operator') return null;
    const { name, by } = session.holder;
    if (!parts.isProofValid(by)) return null;
    const person = { name, planTitle: null, payPath: null, support: null };
    const viewer = viewerOf(person, secret, OPERATOR_PAGES, '/operator/sign-out');
    return { session, secret, now: clock(), viewer, name };
  }, '/operator/sign-in');
}

/** Whether a person opened the page: polling by a page (`browser/live.ts`) must not extend the session. */
const isVisit = (ctx: Context): boolean => ['', 'navigate'].includes(ctx.get('Sec-Fetch-Mode'));

const viewerOf = (
  person: Pick<Viewer, 'name' | 'planTitle' | 'payPath' | 'support'>,
  secret: string,
  navigation: Viewer['navigation'],
  signOutPath: string,
): Viewer => ({
  ...person,
  formToken: formTokenOf(secret),
  navigation,
  signOutPath,
  access: null,
});

function visits<V extends Visit>(find: (ctx: Context) => Promise<V | null>, signInPath: string): Visits<V> {
  const visitOf = async (ctx: Context) => {
    // Null during the lookup: if it fails, the error page must not repeat it.
    ctx.state.viewer = null;
    const visit = await find(ctx);
    ctx.state.viewer = visit?.viewer ?? null;
    return visit;
  };
  const page =
    (show: Page<V>): Handler =>
    async (ctx) => {
      const visit = await visitOf(ctx);
      return visit === null ? goTo(ctx, signInPath) : show(ctx, visit);
    };
  const form = (take: FormPage<V>): Handler =>
    openForm(async (ctx, sent) => {
      const visit = await visitOf(ctx);
      if (visit === null) return answerError(ctx, 'signed out');
      const isOurs = isSame(sent.get('form_token') ?? '', visit.viewer.formToken);
      return isOurs ? take(ctx, visit, sent) : answerError(ctx, 'forged');
    });
  return { page, form, again: find, viewerOf: async (ctx) => (await find(ctx))?.viewer ?? null };
}

function isSame(sent: string, expected: string): boolean {
  const [one, other] = [Buffer.from(sent), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** A form that needs no session. It must come from one of our own pages. */
export const openForm =
  (take: (ctx: Context, form: URLSearchParams) => Promise<void> | void): Handler =>
  async (ctx) => {
    if (!isFromHere(ctx)) return answerError(ctx, 'forged');
    const form = readForm(ctx);
    return form === null ? answerError(ctx, 'not a form') : take(ctx, form);
  };
