import type { Clock } from '../../../application/ports/clock.js';
import type { Secrets } from '../../../application/ports/secrets.js';
import type { Sessions } from '../../../application/ports/sign-in/sessions.js';
import type { FindSession } from '../../../application/sign-in/find-session.js';
import type { ClientGroups } from '../../../domain/limits/attempt.js';
import type { OperatorProof } from '../../../domain/sign-in/session.js';
import { cookieJar } from '../cookies.js';
import { answerError } from '../page/error-page.js';
import { type PageRoute, pageRouter } from '../page-router.js';
import { pages } from '../pages.js';
import { signOut } from '../sign-in/sign-out.js';
import type { Middleware } from '../state.js';
import { type OperatorVisit, operatorVisits } from '../visit.js';
import { type AccountParts, accountRoutes } from './accounts/account.js';
import { type ActParts, actRoutes } from './accounts/acts.js';
import { checkoutLinkRoutes } from './billing/checkout-link.js';
import { type PaymentEventParts, paymentEventRoutes } from './billing/payment-events.js';
import { searchRoutes } from './search.js';
import { type OperatorSignInParts, operatorSignInRoutes } from './sign-in/sign-in.js';

export type ConsoleParts = Omit<AccountParts & ActParts & PaymentEventParts, 'visits'> &
  OperatorSignInParts & {
    readonly findSession: FindSession;
    readonly sessions: Sessions;
    readonly secrets: Secrets;
    readonly clock: Clock;
    /** Whether what an operator has shown at sign-in still counts. */
    readonly isStillProof: (proof: OperatorProof) => boolean;
    /** Whether browsers come over https. */
    readonly isSecure: boolean;
    readonly clientGroups: (address: string) => ClientGroups;
    readonly reportFault: (fault: unknown, requestId: string) => void;
  };

/** The console of operators: the whole story of an account, and what can be done about it (D25, D30). */
export function operatorConsole(parts: ConsoleParts): Middleware {
  const everywhere = ({ session }: OperatorVisit) => parts.sessions.endAll(session.holder);
  const cookies = cookieJar(parts.isSecure);
  const visits = operatorVisits({ ...parts, cookies });
  const all = { ...parts, visits };
  const list: readonly PageRoute[] = [
    ...operatorSignInRoutes(parts, cookies, parts.clientGroups),
    {
      path: '/operator/sign-out',
      POST: signOut(visits, { ...parts, cookies, everywhere }, 'operator', '/operator/sign-in'),
    },
    ...searchRoutes(all),
    ...accountRoutes(all),
    ...actRoutes(all),
    ...paymentEventRoutes(all),
    ...checkoutLinkRoutes(all),
  ];
  const router = pageRouter(list, (ctx) => answerError(ctx, 'wrong method'));
  return pages('/operator', router, { ...parts, viewerOf: visits.viewerOf });
}
