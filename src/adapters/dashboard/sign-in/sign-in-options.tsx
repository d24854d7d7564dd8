import type { VNode } from 'preact';
import type { StartedSession } from '../../../application/sign-in/start-session.js';
import type { ClientGroups } from '../../../domain/limits/attempt.js';
import { SECOND } from '../../../domain/moment.js';
import { longestSession } from '../../../domain/sign-in/session.js';
import type { Audience } from '../../../domain/sign-in/sign-in.js';
import type { CookieJar } from '../cookies.js';
import { answerPage } from '../page/answer.js';
import { currentViewer } from '../page/viewer.js';
import { type Context, goTo } from '../state.js';
import { type SignInFailure, type SignInPageState, statusOfFailure } from './sign-in-pages.js';

// biome-ignore format: a table is read by its columns
const AUDIENCES = {
  dashboard: { cookie: 'session',  holder: 'account',  signIn: '/dashboard/sign-in', home: '/dashboard/keys' },
  operator:  { cookie: 'operator', holder: 'operator', signIn: '/operator/sign-in',  home: '/operator' },
} as const satisfies Record<Audience, object>;

/** What all sign-in methods share: a session in a cookie on success, the sign-in page with the reason on failure. */
export type SignInOptions = ReturnType<typeof signInOptions>;

/** `signInPage` renders the page with all sign-in methods. */
export function signInOptions(
  audience: Audience,
  cookies: CookieJar,
  clientGroups: (address: string) => ClientGroups,
  signInPage: (state: SignInPageState) => VNode,
) {
  const { cookie, holder, signIn, home } = AUDIENCES[audience];
  return {
    audience,
    cookies,
    signInPath: signIn,
    clientOf: (ctx: Context): ClientGroups => clientGroups(ctx.state.address),
    previous: (ctx: Context): string | null => cookies.read(ctx, cookie),

    welcome(ctx: Context, { secret }: StartedSession): void {
      cookies.write(ctx, cookie, secret, longestSession(holder) / SECOND);
      cookies.clear(ctx, 'asker');
      cookies.clear(ctx, 'flow');
      goTo(ctx, home);
    },

    /** Shows the sign-in page again, with the reason of the failure. */
    async fail(ctx: Context, failure: SignInFailure): Promise<void> {
      const viewer = await currentViewer(ctx);
      answerPage(ctx, signInPage({ failure, viewer }), statusOfFailure(failure));
    },
  };
}
