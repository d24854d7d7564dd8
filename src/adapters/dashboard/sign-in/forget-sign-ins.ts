import { CUSTOMER } from '../../../application/sign-in/find-or-open-account.js';
import type { ForgetIdentities } from '../../../application/sign-in/forget-identities.js';
import type { CookieJar } from '../cookies.js';
import { goTo, type Handler } from '../state.js';
import type { HolderVisit, Visits } from '../visit.js';

/** Disconnects all provider identities of the signed-in user and ends every session, this one included. */
export const forgetSignIns = (
  visits: Visits<HolderVisit>,
  parts: { readonly forgetIdentities: ForgetIdentities; readonly cookies: CookieJar },
): Handler =>
  visits.form(async (ctx, { account }) => {
    await parts.forgetIdentities(account.id, null, CUSTOMER);
    parts.cookies.clear(ctx, 'session');
    goTo(ctx, '/dashboard/sign-in');
  });
