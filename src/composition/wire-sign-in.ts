import { Throttle, throttled } from '../adapters/resilience/throttle.js';
import { countAttempt } from '../application/limits/count-attempt.js';
import { Permits } from '../application/limits/permits.js';
import { findOrOpenAccount } from '../application/sign-in/find-or-open-account.js';
import { findSession } from '../application/sign-in/find-session.js';
import { forgetIdentities } from '../application/sign-in/forget-identities.js';
import { signInAsOperator } from '../application/sign-in/sign-in-as-operator.js';
import { SignInByLink } from '../application/sign-in/sign-in-by-link.js';
import { SignInByProvider } from '../application/sign-in/sign-in-by-provider.js';
import { signOutEverywhere } from '../application/sign-in/sign-out-everywhere.js';
import { startSession } from '../application/sign-in/start-session.js';
import { newAccounts, newcomerMails } from '../domain/limits/attempt.js';
import type { Config } from '../settings/config.js';
import {
  ACCOUNTS,
  CLOCK,
  COUNT_ATTEMPT,
  COUNTERS,
  FIND_OR_OPEN_ACCOUNT,
  FIND_SESSION,
  FORGET_IDENTITIES,
  IDENTITIES,
  IDENTITY_PROVIDERS,
  LOG,
  MAIL_SIGN_IN_LINK,
  OPEN_ACCOUNT,
  PAGE_THROTTLE,
  PUBLIC_ADDRESS,
  SECRETS,
  SESSIONS,
  SIGN_IN_AS_OPERATOR,
  SIGN_IN_BY_LINK,
  SIGN_IN_BY_PROVIDER,
  SIGN_OUT_EVERYWHERE,
  START_SESSION,
  TICKETS,
  TOKENS,
  type Token,
  type Wiring,
} from './parts.js';

/**
 * Of a pool of ten connections pages get four: however many people, or programs, ask for them, keys are looked up as
 * fast as ever.
 */
const PAGE_TURNS = { max: 4, waitingMax: 1_000 } as const;

/** How people get into the dashboard and the console, and stay there. */
export function wireSignIn(wiring: Wiring, config: Config): void {
  wireSessions(wiring);
  wireNewcomers(wiring, config);
  wireWaysIn(wiring, config);
}

/** A port as pages may ask it. */
const calm = <Port extends object>({ get }: Wiring, token: Token<Port>): Port =>
  throttled(get(token), get(PAGE_THROTTLE));

const counting = ({ get }: Wiring) => ({ counters: get(COUNTERS), clock: get(CLOCK) });

function wireSessions(wiring: Wiring): void {
  const { part, get } = wiring;
  part(PAGE_THROTTLE, () => new Throttle(PAGE_TURNS));
  const sessions = () => ({ sessions: calm(wiring, SESSIONS), secrets: get(SECRETS), clock: get(CLOCK) });
  part(START_SESSION, () => startSession(sessions()));
  part(FIND_SESSION, () => findSession(sessions()));
  part(SIGN_OUT_EVERYWHERE, () => signOutEverywhere({ ...sessions(), tickets: calm(wiring, TICKETS) }));
  part(FORGET_IDENTITIES, () =>
    forgetIdentities({
      identities: get(IDENTITIES),
      signOutEverywhere: get(SIGN_OUT_EVERYWHERE),
      clock: get(CLOCK),
    }),
  );
}

/** What limits attempts to sign in, and the accounts that come of them. */
function wireNewcomers(wiring: Wiring, { newAccountsPerDay }: Config): void {
  const { part, get } = wiring;
  part(COUNT_ATTEMPT, () => countAttempt(counting(wiring)));
  part(FIND_OR_OPEN_ACCOUNT, () =>
    findOrOpenAccount({
      accounts: calm(wiring, ACCOUNTS),
      openAccount: get(OPEN_ACCOUNT),
      newAccounts: new Permits({ ...counting(wiring), policy: newAccounts(newAccountsPerDay) }),
    }),
  );
}

function wireWaysIn(wiring: Wiring, { identity, signInMailsPerDay }: Config): void {
  const { part, get } = wiring;
  const common = () => ({
    tickets: calm(wiring, TICKETS),
    sessions: calm(wiring, SESSIONS),
    secrets: get(SECRETS),
    clock: get(CLOCK),
    countAttempt: get(COUNT_ATTEMPT),
    findOrOpenAccount: get(FIND_OR_OPEN_ACCOUNT),
    startSession: get(START_SESSION),
  });
  part(SIGN_IN_BY_LINK, () => {
    const mail = get(MAIL_SIGN_IN_LINK);
    if (mail === null) return null;
    const { url } = get(PUBLIC_ADDRESS);
    return new SignInByLink({
      ...common(),
      accounts: calm(wiring, ACCOUNTS),
      newcomerMails: new Permits({ ...counting(wiring), policy: newcomerMails(signInMailsPerDay) }),
      mail,
      urlOf: (secret) => `${url()}/dashboard/sign-in/link?token=${secret}`,
      report: (fault) => get(LOG).warn({ err: fault }, 'a sign-in link could not be mailed'),
    });
  });
  part(
    SIGN_IN_BY_PROVIDER,
    () =>
      new SignInByProvider({
        ...common(),
        // Over plain http elsewhere a session could be read by others.
        providers: get(PUBLIC_ADDRESS).isPrivate ? get(IDENTITY_PROVIDERS) : [],
        identities: calm(wiring, IDENTITIES),
        operatorGroup: identity.operatorGroup,
        callbackUrlOf: (audience, id) => `${get(PUBLIC_ADDRESS).url()}/${audience}/sign-in/${id}/callback`,
      }),
  );
  part(SIGN_IN_AS_OPERATOR, () =>
    signInAsOperator({
      token: get(TOKENS).operator,
      note: (isRight, address) =>
        isRight
          ? get(LOG).info({ address }, 'an operator signed in')
          : get(LOG).warn({ address }, 'a wrong operator token was typed into the console'),
      secrets: get(SECRETS),
      countAttempt: get(COUNT_ATTEMPT),
      startSession: get(START_SESSION),
    }),
  );
}
