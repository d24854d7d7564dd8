import type { Clock } from '../../../application/ports/clock.js';
import type { Secrets } from '../../../application/ports/secrets.js';
import type { Sessions } from '../../../application/ports/sign-in/sessions.js';
import type { ClientGroups } from '../../../domain/limits/attempt.js';
import type { CookieJar } from '../cookies.js';
import { answerError } from '../page/error-page.js';
import { type PageRoute, pageRouter } from '../page-router.js';
import { pages } from '../pages.js';
import { signOutRoutes } from '../sign-in/sign-out.js';
import type { Middleware } from '../state.js';
import type { OperatorVisit } from '../visit.js';
import { accountRoutes } from './accounts/account.js';
import type { AccountParts } from './accounts/account-tabs.js';
import { type ActionParts, actionRoutes } from './accounts/actions.js';
import { type CustomerLinkParts, customerLinkRoutes } from './accounts/customer-link.js';
import { type NewAccountParts, newAccountRoutes } from './accounts/new-account.js';
import { type PlanChangeParts, planChangeRoutes } from './accounts/plan-change.js';
import { checkoutLinkRoutes } from './billing/checkout-link.js';
import { type PaymentEventParts, paymentEventRoutes } from './billing/payment-events.js';
import { type PlanParts, planRoutes } from './billing/plans.js';
import { type ConsoleDestinationParts, consoleDestinationRoutes } from './destinations/destinations.js';
import { type CorrectionParts, correctionRoutes } from './feed/corrections.js';
import { type IngestionParts, ingestionRoutes } from './feed/ingestion.js';
import { type ItemParts, itemRoutes } from './feed/items.js';
import { type PurgeParts, purgeRoutes } from './feed/purges.js';
import { type HomeParts, homeRoutes } from './home/home.js';
import { type NewKeyParts, newKeyRoutes } from './keys/new-key.js';
import { type OperatorSignInParts, operatorSignInRoutes } from './sign-in/sign-in.js';

export type ConsoleParts = AccountParts &
  HomeParts &
  ActionParts &
  NewAccountParts &
  NewKeyParts &
  PlanParts &
  CustomerLinkParts &
  PlanChangeParts &
  PaymentEventParts &
  PurgeParts &
  ItemParts &
  IngestionParts &
  CorrectionParts &
  ConsoleDestinationParts &
  OperatorSignInParts & {
    readonly clock: Clock;
    readonly sessions: Sessions;
    readonly secrets: Secrets;
    readonly cookies: CookieJar;
    /** Whether browsers connect over https. */
    readonly isSecure: boolean;
    readonly clientGroups: (address: string) => ClientGroups;
    readonly reportFault: (fault: unknown, requestId: string) => void;
  };

/** The operator console: what needs a hand, the full history of an account, the actions on it (D25, D30), destinations (D66), and purges of items (D62). */
export function operatorConsole(parts: ConsoleParts): Middleware {
  const { visits, sessions, secrets, cookies, clock, isSecure, reportFault } = parts;
  const everywhere = ({ session }: OperatorVisit) => sessions.endAll(session.holder);
  const list: readonly PageRoute[] = [
    ...operatorSignInRoutes(parts, cookies, parts.clientGroups),
    ...signOutRoutes({
      ...{ visits, sessions, secrets, cookies, everywhere },
      ...{ cookie: 'operator', home: '/operator' },
    }),
    ...homeRoutes(parts),
    ...accountRoutes(parts),
    ...actionRoutes(parts),
    ...newAccountRoutes(parts),
    ...planChangeRoutes(parts),
    ...newKeyRoutes(parts),
    ...planRoutes(parts),
    ...customerLinkRoutes(parts),
    ...paymentEventRoutes(parts),
    ...checkoutLinkRoutes(parts),
    ...purgeRoutes(parts),
    ...itemRoutes(parts),
    ...ingestionRoutes(parts),
    ...correctionRoutes(parts),
    ...consoleDestinationRoutes(parts),
  ];
  const router = pageRouter(list, (ctx) => answerError(ctx, 'wrong method'));
  return pages('/operator', router, { clock, isSecure, reportFault, viewerOf: visits.viewerOf });
}
