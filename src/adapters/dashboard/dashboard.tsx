import type { Secrets } from '../../application/ports/secrets.js';
import type { Sessions } from '../../application/ports/sign-in/sessions.js';
import type { ForgetIdentities } from '../../application/sign-in/forget-identities.js';
import type { SignInByLink } from '../../application/sign-in/sign-in-by-link.js';
import type { SignInByProvider } from '../../application/sign-in/sign-in-by-provider.js';
import type { SignOutEverywhere } from '../../application/sign-in/sign-out-everywhere.js';
import type { ClientGroups } from '../../domain/limits/attempt.js';
import { getAsset } from './assets.js';
import { type SubscriptionParts, subscriptionRoutes } from './billing/subscription.js';
import type { CookieJar } from './cookies.js';
import { type DemoParts, demoRoutes, type FakePayments } from './demo/demo.js';
import { DemoSignIn } from './demo/demo-bar.js';
import type { DestinationPageParts } from './destinations/destination-page.js';
import { destinationRoutes } from './destinations/destinations.js';
import { detailsRoutes } from './destinations/details.js';
import { mailboxRoutes } from './destinations/mailbox.js';
import { type FeedParts, feedRoutes } from './feed/feed.js';
import { type FeedEventParts, feedEventRoutes } from './feed/feed-events.js';
import { firstRequestRoutes } from './keys/first-request.js';
import type { KeyParts } from './keys/key-page.js';
import { keyRoutes } from './keys/keys.js';
import { rotationRoutes } from './keys/rotation.js';
import { sandboxKeyRoutes } from './keys/sandbox-key.js';
import { keySettingsRoutes } from './keys/settings.js';
import { type UsageParts, usageRoutes } from './limits/usage.js';
import { type MarketPageParts, marketRoutes } from './markets/markets.js';
import { answerError } from './page/error-page.js';
import { type PageRoute, pageRouter } from './page-router.js';
import { pages } from './pages.js';
import { forgetSignIns } from './sign-in/forget-sign-ins.js';
import { linkRoutes } from './sign-in/link-routes.js';
import { providerRoutes } from './sign-in/provider-routes.js';
import { signInOptions } from './sign-in/sign-in-options.js';
import { type SignInMethods, SignInPage } from './sign-in/sign-in-pages.js';
import { signOutRoutes } from './sign-in/sign-out.js';
import { goTo, type Handler, type Middleware } from './state.js';
import { styleRoutes } from './style/style.js';
import type { HolderVisit } from './visit.js';

export type DashboardParts = KeyParts &
  SubscriptionParts &
  UsageParts &
  FeedParts &
  FeedEventParts &
  MarketPageParts &
  DestinationPageParts &
  DemoParts & {
    readonly sessions: Sessions;
    readonly forgetIdentities: ForgetIdentities;
    readonly signOutEverywhere: SignOutEverywhere;
    readonly secrets: Secrets;
    readonly cookies: CookieJar;
    readonly signInByLink: SignInByLink | null;
    readonly signInByProvider: SignInByProvider;
    readonly providers: SignInMethods['providers'];
    /** Whether links to sign in are emailed; else they are printed. */
    readonly hasMailServer: boolean;
    /** Whether browsers connect over https. */
    readonly isSecure: boolean;
    readonly clientGroups: (address: string) => ClientGroups;
    /** Null outside the demo. */
    readonly fakePayments: FakePayments | null;
    readonly reportFault: (fault: unknown, requestId: string) => void;
  };

/** The customer dashboard: pages on the public listener, with the same use cases as the API. */
export function dashboard(parts: DashboardParts): Middleware {
  const { visits, sessions, secrets, cookies, signOutEverywhere, forgetIdentities } = parts;
  const { clock, isSecure, reportFault } = parts;
  const everywhere = ({ account }: HolderVisit) => signOutEverywhere(account);
  const signOut = { visits, sessions, secrets, cookies, cookie: 'session', everywhere } as const;
  const home: Handler = (ctx) => goTo(ctx, '/dashboard/keys');
  const list: readonly PageRoute[] = [
    { path: '/dashboard', GET: home },
    { path: '/dashboard/assets/:name', GET: getAsset((ctx) => answerError(ctx, 'not found')) },
    ...signInRoutes(parts),
    ...signOutRoutes({ ...signOut, home: '/dashboard', demo: parts.demo }),
    { path: '/dashboard/forget-sign-ins', POST: forgetSignIns(visits, { forgetIdentities, cookies }) },
    ...keyRoutes(parts),
    ...sandboxKeyRoutes(parts),
    ...firstRequestRoutes(parts),
    ...rotationRoutes(parts),
    ...keySettingsRoutes(parts),
    ...usageRoutes(parts),
    ...feedRoutes(parts),
    ...feedEventRoutes(parts),
    ...marketRoutes(parts),
    // Those of mailboxes come first: their paths would match the path of one destination.
    ...mailboxRoutes(parts),
    ...destinationRoutes(parts),
    ...detailsRoutes(parts),
    ...subscriptionRoutes(parts),
  ];
  const router = pageRouter(list, (ctx) => answerError(ctx, 'wrong method'));
  return pages('/dashboard', router, { clock, isSecure, reportFault, viewerOf: visits.viewerOf });
}

/** Sign-in methods. Those of the demo come first: their path would match the path of a provider. */
function signInRoutes(parts: DashboardParts): readonly PageRoute[] {
  const { signInByLink: byLink, signInByProvider, providers, fakePayments, visits } = parts;
  const { hasMailServer } = parts;
  const methods: SignInMethods = { hasEmailedLinks: byLink !== null, hasMailServer, providers };
  const demo = () => (fakePayments === null ? null : <DemoSignIn accounts={parts.demoAccounts()} />);
  const options = signInOptions('dashboard', parts.cookies, parts.clientGroups, (state) => (
    <SignInPage methods={methods} fault={null} demo={demo()} {...state} />
  ));
  return [
    ...(fakePayments === null ? [] : demoRoutes(parts, fakePayments, visits, options)),
    ...(fakePayments === null ? [] : styleRoutes(parts)),
    ...linkRoutes({ byLink, methods, signInOptions: options, demo }),
    ...providerRoutes(signInByProvider, options),
  ];
}
