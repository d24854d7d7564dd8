import type { FindSession } from '../../../application/find-session.js';
import type { Clock } from '../../../application/ports/clock.js';
import type { Secrets } from '../../../application/ports/secrets.js';
import type { Sessions } from '../../../application/ports/sessions.js';
import type { KeyFormat } from '../../../domain/key-value.js';
import type { OperatorProof } from '../../../domain/session.js';
import { cookieJar } from '../cookies.js';
import { answerError } from '../page/error-page.js';
import { type PageRoute, pageRouter } from '../page-router.js';
import { pages } from '../pages.js';
import { signOut } from '../sign-in/sign-out.js';
import { wayIn } from '../sign-in/way-in.js';
import type { Middleware } from '../state.js';
import { operatorVisits } from '../visit.js';
import { type AccountParts, accountRoutes } from './account.js';
import { type ActParts, actRoutes } from './acts.js';
import { type PaymentEventParts, paymentEventRoutes } from './payment-events.js';
import { searchRoutes } from './search.js';
import { type OperatorSignInParts, operatorSignInRoutes } from './sign-in.js';

export type ConsoleParts = Omit<AccountParts & ActParts & PaymentEventParts, 'visits' | 'redact'> &
  OperatorSignInParts & {
    readonly findSession: FindSession;
    readonly sessions: Sessions;
    readonly secrets: Secrets;
    readonly clock: Clock;
    readonly keyFormat: KeyFormat;
    /** Whether what an operator has shown at sign-in still counts. */
    readonly isStillProof: (proof: OperatorProof) => boolean;
    /** Whether browsers come over https. */
    readonly isSecure: boolean;
    readonly addressGroup: (address: string) => string;
    readonly reportFault: (fault: unknown, requestId: string) => void;
  };

/** The console of operators: the whole story of an account, and what can be done about it (D25, D30). */
export function operatorConsole(parts: ConsoleParts): Middleware {
  const cookies = cookieJar(parts.isSecure);
  const visits = operatorVisits({ ...parts, cookies });
  // A key that somebody pastes into a reason is not to be kept there.
  const all = { ...parts, visits, redact: parts.keyFormat.redact };
  const list: readonly PageRoute[] = [
    ...operatorSignInRoutes(parts, wayIn('operator', cookies, parts.addressGroup)),
    {
      path: '/operator/sign-out',
      POST: signOut(visits, { ...parts, cookies }, 'operator', '/operator/sign-in'),
    },
    ...searchRoutes(all),
    ...accountRoutes(all),
    ...actRoutes(all),
    ...paymentEventRoutes(all),
  ];
  const router = pageRouter(list, (ctx) => answerError(ctx, 'wrong method'));
  return pages('/operator', router, parts);
}
