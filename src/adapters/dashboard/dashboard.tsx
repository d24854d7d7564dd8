import type { ComponentChildren } from 'preact';
import type { Clock } from '../../application/ports/clock.js';
import type { Secrets } from '../../application/ports/secrets.js';
import type { Sessions } from '../../application/ports/sign-in/sessions.js';
import type { FindSession } from '../../application/sign-in/find-session.js';
import type { ForgetIdentities } from '../../application/sign-in/forget-identities.js';
import type { SignInByLink } from '../../application/sign-in/sign-in-by-link.js';
import type { SignInByProvider } from '../../application/sign-in/sign-in-by-provider.js';
import type { SignOutEverywhere } from '../../application/sign-in/sign-out-everywhere.js';
import type { ClientGroups } from '../../domain/limits/attempt.js';
import { getAsset } from './assets.js';
import { type SubscriptionParts, subscriptionRoutes } from './billing/subscription.js';
import { type CookieJar, cookieJar } from './cookies.js';
import { type DemoParts, demoRoutes } from './demo/demo.js';
import { DemoBar, DemoSignIn } from './demo/demo-bar.js';
import { type FeedParts, feedRoutes } from './feed/feed.js';
import type { KeyParts } from './keys/key-page.js';
import { keyRoutes } from './keys/keys.js';
import { rotationRoutes } from './keys/rotation.js';
import { type UsageParts, usageRoutes } from './limits/usage.js';
import { answerError } from './page/error-page.js';
import { type PageRoute, pageRouter } from './page-router.js';
import { pages } from './pages.js';
import { forgetSignIns } from './sign-in/forget-sign-ins.js';
import { linkRoutes } from './sign-in/link-routes.js';
import { providerRoutes } from './sign-in/provider-routes.js';
import { SignInPage, type SignInWays } from './sign-in/sign-in-pages.js';
import { signOut } from './sign-in/sign-out.js';
import { wayIn } from './sign-in/way-in.js';
import { goTo, type Handler, type Middleware } from './state.js';
import { type HolderVisit, holderVisits, type Visits } from './visit.js';

/** What pages of account holders are given by the dashboard itself. */
type Own = 'visits' | 'demo';

export type DashboardParts = {
  readonly findSession: FindSession;
  readonly sessions: Sessions;
  readonly forgetIdentities: ForgetIdentities;
  readonly signOutEverywhere: SignOutEverywhere;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly byLink: SignInByLink | null;
  readonly byProvider: SignInByProvider;
  readonly providers: SignInWays['providers'];
  /** Whether browsers come over https. */
  readonly isSecure: boolean;
  readonly clientGroups: (address: string) => ClientGroups;
  readonly keys: Omit<KeyParts, Own>;
  readonly subscription: Omit<SubscriptionParts, Own>;
  readonly usage: Omit<UsageParts, Own>;
  readonly feed: Omit<FeedParts, Own>;
  /** Null but in the demo. */
  readonly demo: DemoParts | null;
  readonly reportFault: (fault: unknown, requestId: string) => void;
};

/** The dashboard of account holders: pages over the same use cases as the API, on the public listener. */
export function dashboard(parts: DashboardParts): Middleware {
  const cookies = cookieJar(parts.isSecure);
  const { accounts } = parts.keys;
  const visits = holderVisits({ ...parts, cookies, accounts });
  const demo = (back: string, { viewer }: HolderVisit): ComponentChildren =>
    parts.demo === null ? null : <DemoBar back={back} viewer={viewer} />;
  const own = { visits, demo };

  const everywhere = ({ account }: HolderVisit) => parts.signOutEverywhere(account);
  const home: Handler = (ctx) => goTo(ctx, '/dashboard/keys');
  const list: readonly PageRoute[] = [
    { path: '/dashboard', GET: home },
    { path: '/dashboard/assets/:name', GET: getAsset((ctx) => answerError(ctx, 'not found')) },
    ...signInRoutes(parts, visits, cookies),
    {
      path: '/dashboard/sign-out',
      POST: signOut(visits, { ...parts, cookies, everywhere }, 'session', '/dashboard/sign-in'),
    },
    { path: '/dashboard/forget-sign-ins', POST: forgetSignIns(visits, { ...parts, cookies }) },
    ...keyRoutes({ ...parts.keys, ...own }),
    ...rotationRoutes({ ...parts.keys, ...own }),
    ...usageRoutes({ ...parts.usage, ...own }),
    ...feedRoutes({ ...parts.feed, ...own }),
    ...subscriptionRoutes({ ...parts.subscription, ...own }),
  ];
  const router = pageRouter(list, (ctx) => answerError(ctx, 'wrong method'));
  return pages('/dashboard', router, { ...parts, viewerOf: visits.viewerOf });
}

/** Ways in; the demo's come first, for a path of theirs is one that a provider might have. */
function signInRoutes(
  parts: DashboardParts,
  visits: Visits<HolderVisit>,
  cookies: CookieJar,
): readonly PageRoute[] {
  const { byLink, byProvider, providers } = parts;
  const ways: SignInWays = { isMailed: byLink !== null, providers };
  const demo = () => (parts.demo === null ? null : <DemoSignIn accounts={parts.demo.accounts()} />);
  const way = wayIn('dashboard', cookies, parts.clientGroups, (again) => (
    <SignInPage ways={ways} fault={null} demo={demo()} {...again} />
  ));
  return [
    ...(parts.demo === null ? [] : demoRoutes(parts.demo, visits, way)),
    ...linkRoutes({ byLink, ways, wayIn: way, demo }),
    ...providerRoutes(byProvider, way),
  ];
}
