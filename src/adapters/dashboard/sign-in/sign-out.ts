import type { Secrets } from '../../../application/ports/secrets.js';
import type { Sessions } from '../../../application/ports/sessions.js';
import type { CookieJar, CookieName } from '../cookies.js';
import { goTo, type Handler } from '../state.js';
import type { HolderVisit, OperatorVisit, Visits } from '../visit.js';

/** Ends the session of this browser, or every session of who is signed in. */
export const signOut = <V extends HolderVisit | OperatorVisit>(
  visits: Visits<V>,
  parts: { readonly sessions: Sessions; readonly secrets: Secrets; readonly cookies: CookieJar },
  cookie: CookieName,
  signInPath: string,
): Handler =>
  visits.form(async (ctx, { session, secret }, form) => {
    if (form.get('everywhere') === 'yes') await parts.sessions.endAll(session.holder);
    else await parts.sessions.end(parts.secrets.hash(secret));
    parts.cookies.clear(ctx, cookie);
    goTo(ctx, signInPath);
  });
