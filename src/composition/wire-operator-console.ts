import { keyViews } from '../adapters/dashboard/keys/key-view.js';
import { operatorConsole } from '../adapters/dashboard/operator/console.js';
import { clientGroups } from '../adapters/http/listener/client-address.js';
import { isStillProof } from '../domain/sign-in/session.js';
import type { Config } from '../settings/config.js';
import {
  ACCOUNTS,
  CLOCK,
  FIND_SESSION,
  FORGET_IDENTITIES,
  HOLD,
  IDENTITIES,
  IDENTITY_PROVIDERS,
  KEY_FORMAT,
  LAST_USED,
  LINK_CHECKOUT,
  OPERATOR_CONSOLE,
  PAYMENT_INBOX,
  PUBLIC_ADDRESS,
  READ_LIMITS,
  REPLAY_EVENT,
  REPORT_FAULT,
  REVOKE_KEY,
  SECRETS,
  SESSIONS,
  SIGN_IN_AS_OPERATOR,
  SIGN_IN_BY_PROVIDER,
  TOKENS,
  USAGE_HISTORY,
  WATCH_ACCOUNT,
  type Wiring,
} from './parts.js';

/** Pages for operators, over the same use cases as the internal API. */
export function wireOperatorConsole({ part, get }: Wiring, config: Config): void {
  /** The provider that knows groups; the only one that can tell who is an operator. */
  const groupProvider = () => get(IDENTITY_PROVIDERS).find(({ id }) => id === 'oidc') ?? null;

  part(OPERATOR_CONSOLE, () => {
    if (!config.operatorConsole) return null;
    const { isSecure, isPrivate } = get(PUBLIC_ADDRESS);
    const token = get(SECRETS).hash(get(TOKENS).operator);
    const hasGroup = isPrivate && config.identity.operatorGroup !== undefined;
    return operatorConsole({
      findSession: get(FIND_SESSION),
      sessions: get(SESSIONS),
      secrets: get(SECRETS),
      clock: get(CLOCK),
      isSecure,
      clientGroups,
      reportFault: get(REPORT_FAULT),
      isStillProof: (proof) => isStillProof(proof, { token, group: config.identity.operatorGroup }),
      signInAsOperator: isPrivate ? get(SIGN_IN_AS_OPERATOR) : null,
      byProvider: get(SIGN_IN_BY_PROVIDER),
      groupProvider: hasGroup ? groupProvider() : null,
      accounts: get(ACCOUNTS),
      identities: get(IDENTITIES),
      forgetIdentities: get(FORGET_IDENTITIES),
      keyFormat: get(KEY_FORMAT),
      keyViews: keyViews({ lastUsed: get(LAST_USED), usage: get(USAGE_HISTORY) }),
      readLimits: get(READ_LIMITS),
      hold: get(HOLD),
      revokeKey: get(REVOKE_KEY),
      watchAccount: get(WATCH_ACCOUNT),
      inbox: get(PAYMENT_INBOX),
      replayEvent: get(REPLAY_EVENT),
      linkCheckout: get(LINK_CHECKOUT),
    });
  });
}
