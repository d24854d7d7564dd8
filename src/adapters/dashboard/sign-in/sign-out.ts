import type { Secrets } from '../../../application/ports/secrets.js';
import type { Sessions } from '../../../application/ports/sign-in/sessions.js';
import type { CookieJar, CookieName } from '../cookies.js';
import { goTo, type Handler } from '../state.js';
import type { HolderVisit, OperatorVisit, Visits } from '../visit.js';

/** Ends the session of this browser, or every session of the signed-in user. */
export const signOut = <V extends HolderVisit | OperatorVisit>(
  visits: Visits<V>,
  parts: {
    readonly sessions: Sessions;
    readonly secrets: Secrets;
    readonly cookies: CookieJar;
    /** Ends all sessions of the user, and every emailed link that could start another. */
    readonly everywhere: (visit: V) => Promise<void>;
  },
  cookie: CookieName,
  signInPath: string,
): Handler =>
  visits.form(async (ctx, visit, form) => {
    if (form.get('everywhere') === 'yes') await parts.everywhere(visit);
    else await parts.sessions.end(parts.secrets.hash(visit.secret));
    parts.cookies.clear(ctx, cookie);
    goTo(ctx, signInPath);
  });
