import { CUSTOMER } from '../../../application/sign-in/find-or-open-account.js';
import type { ForgetIdentities } from '../../../application/sign-in/forget-identities.js';
import type { CookieJar } from '../cookies.js';
import { goTo, type Handler } from '../state.js';
import type { HolderVisit, Visits } from '../visit.js';

/** Takes their way in from all identities of who is signed in, and ends every session: this one too. */
export const forgetSignIns = (
  visits: Visits<HolderVisit>,
  parts: { readonly forgetIdentities: ForgetIdentities; readonly cookies: CookieJar },
): Handler =>
  visits.form(async (ctx, { account }) => {
    await parts.forgetIdentities(account.id, null, CUSTOMER);
    parts.cookies.clear(ctx, 'session');
    goTo(ctx, '/dashboard/sign-in');
  });
