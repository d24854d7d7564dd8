import { Throttle, throttled } from './adapters/resilience/throttle.js';
import { countAttempt } from './application/count-attempt.js';
import { findOrOpenAccount } from './application/find-or-open-account.js';
import { findSession } from './application/find-session.js';
import { forgetIdentities } from './application/forget-identities.js';
import { signInAsOperator } from './application/sign-in-as-operator.js';
import { signInByLink } from './application/sign-in-by-link.js';
import { signInByProvider } from './application/sign-in-by-provider.js';
import { startSession } from './application/start-session.js';
import type { Config } from './config.js';
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
export function wireSignIn({ part, get }: Wiring, { identity }: Config): void {
  part(PAGE_THROTTLE, () => new Throttle(PAGE_TURNS));
  const calm = <Port extends object>(token: Token<Port>): Port => throttled(get(token), get(PAGE_THROTTLE));
  const sessions = () => ({ sessions: calm(SESSIONS), secrets: get(SECRETS), clock: get(CLOCK) });
  part(START_SESSION, () => startSession(sessions()));
  part(FIND_SESSION, () => findSession(sessions()));
  part(FORGET_IDENTITIES, () => forgetIdentities({ ...sessions(), identities: get(IDENTITIES) }));
  part(COUNT_ATTEMPT, () => countAttempt({ counters: get(COUNTERS), clock: get(CLOCK) }));
  part(FIND_OR_OPEN_ACCOUNT, () =>
    findOrOpenAccount({ accounts: calm(ACCOUNTS), openAccount: get(OPEN_ACCOUNT) }),
  );

  const common = () => ({
    tickets: calm(TICKETS),
    secrets: get(SECRETS),
    clock: get(CLOCK),
    countAttempt: get(COUNT_ATTEMPT),
    findOrOpenAccount: get(FIND_OR_OPEN_ACCOUNT),
    startSession: get(START_SESSION),
  });
  part(SIGN_IN_BY_LINK, () => {
    const mail = get(MAIL_SIGN_IN_LINK);
    const { url } = get(PUBLIC_ADDRESS);
    const urlOf = (secret: string) => `${url()}/dashboard/sign-in/link?token=${secret}`;
    return mail === null ? null : signInByLink({ ...common(), mail, urlOf });
  });
  part(SIGN_IN_BY_PROVIDER, () =>
    signInByProvider({
      ...common(),
      // Over plain http elsewhere a session could be read by others.
      providers: get(PUBLIC_ADDRESS).isPrivate ? get(IDENTITY_PROVIDERS) : [],
      identities: calm(IDENTITIES),
      sessions: calm(SESSIONS),
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
