import type { ComponentChildren } from 'preact';
import type { Secrets } from '../../../application/ports/secrets.js';
import type { Sessions } from '../../../application/ports/sign-in/sessions.js';
import type { CookieJar, CookieName } from '../cookies.js';
import { answerPage } from '../page/answer.js';
import { FormToken, Layout } from '../page/layout.js';
import type { PageRoute } from '../page-router.js';
import { goTo, type Viewer } from '../state.js';
import type { HolderVisit, OperatorVisit, Visits } from '../visit.js';

type SignOutParts<V> = {
  readonly visits: Visits<V>;
  readonly sessions: Sessions;
  readonly secrets: Secrets;
  readonly cookies: CookieJar;
  readonly cookie: CookieName;
  /** Ends all sessions of the user, and every emailed link that could start another. */
  readonly everywhere: (visit: V) => Promise<void>;
  /** The first page of the user. The paths of the other pages begin with it. */
  readonly home: '/dashboard' | '/operator';
  readonly demo?: (back: string, visit: V) => ComponentChildren;
};

/** Ends the session of this browser, or, after a question on a page of its own, every session of the signed-in user. */
export function signOutRoutes<V extends HolderVisit | OperatorVisit>(
  parts: SignOutParts<V>,
): readonly PageRoute[] {
  const { visits, sessions, secrets, cookies, cookie, home } = parts;
  const path = `${home}/sign-out`;
  return [
    {
      path,
      POST: visits.form(async (ctx, visit, form) => {
        if (form.get('everywhere') === 'yes') await parts.everywhere(visit);
        else await sessions.end(secrets.hash(visit.secret));
        cookies.clear(ctx, cookie);
        goTo(ctx, `${home}/sign-in`);
      }),
    },
    {
      path: `${path}/everywhere`,
      GET: visits.page((ctx, visit) => {
        const demo = parts.demo?.(home, visit);
        answerPage(ctx, <SignOutEverywherePage viewer={visit.viewer} home={home} demo={demo} />);
      }),
    },
  ];
}

const SignOutEverywherePage = ({
  viewer,
  home,
  demo,
}: {
  readonly viewer: Viewer;
  readonly home: string;
  readonly demo: ComponentChildren;
}) => (
  <Layout title="Sign out everywhere?" viewer={viewer} demo={demo}>
    <p>
      This ends every session of <strong>{viewer.name}</strong>, in this browser and in all others. Sign-in
      links that were emailed before stop working. API keys are not affected.
    </p>
    <form method="post" action={viewer.signOutPath} class="actions">
      <FormToken viewer={viewer} />
      <button type="submit" class="danger" name="everywhere" value="yes">
        Sign out everywhere
      </button>
      <a href={home}>Cancel</a>
    </form>
  </Layout>
);
