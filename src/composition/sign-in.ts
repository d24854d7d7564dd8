import { Throttle, throttledPorts } from '../adapters/resilience/throttle.js';
import { noteOperatorSignIn, noteSignIn } from '../adapters/system/outcome-notes.js';
import { Quotas } from '../application/limits/quotas.js';
import { findOrOpenAccount } from '../application/sign-in/find-or-open-account.js';
import { findSession } from '../application/sign-in/find-session.js';
import { forgetIdentities } from '../application/sign-in/forget-identities.js';
import { signInAsOperator } from '../application/sign-in/sign-in-as-operator.js';
import { SignInByLink } from '../application/sign-in/sign-in-by-link.js';
import { SignInByProvider } from '../application/sign-in/sign-in-by-provider.js';
import { signOutEverywhere } from '../application/sign-in/sign-out-everywhere.js';
import { startSession } from '../application/sign-in/start-session.js';
import { mailsWithoutAccount, newAccounts } from '../domain/limits/attempt.js';
import { type Made, overlay } from './container/container.js';
import type { UseCaseParts } from './use-cases.js';

/**
 * Pages use at most four of the ten connections of the pool, so that many page requests do not delay the look-up of
 * keys.
 */
const PAGE_CONCURRENCY = { max: 4, waitingMax: 1_000 } as const;

/** The stores for pages, behind one throttle. */
export const pageStores = (parts: UseCaseParts) => ({
  pageStores: () => {
    const { accounts, destinations, identities, keyUses, sandboxKeys, sessions, oneTimeTokens, usage } =
      parts;
    const stores = {
      accounts,
      destinations,
      identities,
      keyUses,
      sandboxKeys,
      sessions,
      oneTimeTokens,
      usage,
    };
    return throttledPorts(stores, new Throttle(PAGE_CONCURRENCY));
  },
});

type WithPageStores = UseCaseParts & Made<typeof pageStores>;

/** Sessions of the dashboard and the console. */
export const sessions = (parts: WithPageStores) => ({
  startSession: () => startSession(overlay(parts, parts.pageStores)),
  findSession: () => findSession(overlay(parts, parts.pageStores)),
  signOutEverywhere: () => signOutEverywhere(parts.pageStores),
});

type WithSessions = WithPageStores & Made<typeof sessions>;

/** The accounts of people who have proven an email address or an identity. */
export const accountHolders = (parts: WithSessions) => ({
  forgetIdentities: () => forgetIdentities(parts),
  findOrOpenAccount: () => {
    const { config, openAccount, pageStores } = parts;
    const policy = newAccounts(config.newAccountsPerDay);
    const { accounts } = pageStores;
    return findOrOpenAccount({ accounts, openAccount, newAccounts: new Quotas(overlay(parts, { policy })) });
  },
});

type WithAccountHolders = WithSessions & Made<typeof accountHolders>;

export const signInMethods = (parts: WithAccountHolders) => ({
  /** Null if no link can be sent. */
  signInByLink: () => {
    const { config, mailSignInLink: mail, publicAddress, log, pageStores } = parts;
    if (mail === null) return null;
    const policy = mailsWithoutAccount(config.signInMailsPerDay);
    const own = {
      mail,
      note: noteSignIn(parts, 'link'),
      mailsWithoutAccount: new Quotas(overlay(parts, { policy })),
      urlOf: (secret: string) => `${publicAddress.url()}/dashboard/sign-in/link?token=${secret}`,
      report: (fault: unknown) => log.warn({ err: fault }, 'a sign-in link could not be sent'),
    };
    return new SignInByLink(overlay(parts, { ...pageStores, ...own }));
  },
  signInByProvider: () => {
    const { config, publicAddress, identityProviders, pageStores } = parts;
    const own = {
      // None over plain http, where others could read the session. Localhost is an exception.
      providers: publicAddress.isPrivate ? identityProviders : [],
      operatorGroup: config.identity.operatorGroup,
      note: noteSignIn(parts, 'provider'),
      callbackUrlOf: (audience: string, id: string) =>
        `${publicAddress.url()}/${audience}/sign-in/${id}/callback`,
    };
    return new SignInByProvider(overlay(parts, { ...pageStores, ...own }));
  },
  signInAsOperator: () =>
    signInAsOperator(overlay(parts, { token: parts.tokens.operator, note: noteOperatorSignIn(parts) })),
});

export type SignInParts = WithAccountHolders & Made<typeof signInMethods>;
