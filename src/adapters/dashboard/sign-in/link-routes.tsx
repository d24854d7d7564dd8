import type { ComponentChildren } from 'preact';
import type { SignInByLink } from '../../../application/sign-in/sign-in-by-link.js';
import { readEmailAddress } from '../../../domain/accounts/email-address.js';
import { SECOND } from '../../../domain/moment.js';
import { LINK_LIFETIME } from '../../../domain/sign-in/sign-in.js';
import { answerPage } from '../page/answer.js';
import { answerTooMany, answerTooManyAccounts } from '../page/error-page.js';
import type { PageRoute } from '../page-router.js';
import { type Context, type Handler, parameter } from '../state.js';
import { openForm } from '../visit.js';
import { ConfirmLinkPage, LinkSentPage, SignInPage, type SignInWays } from './sign-in-pages.js';
import type { WayIn } from './way-in.js';

const PATH = '/dashboard/sign-in';

type Typed = { readonly email: string; readonly words: string };

type LinkRouteParts = {
  /** Null where no link can be mailed, or could be followed. */
  readonly byLink: SignInByLink | null;
  readonly ways: SignInWays;
  readonly wayIn: WayIn;
  readonly demo: () => ComponentChildren;
};

/** The page of all ways in, and the one by a mailed link. */
export function linkRoutes({ byLink, ways, wayIn, demo }: LinkRouteParts): readonly PageRoute[] {
  const showSignIn = (ctx: Context, fault: Typed | null) =>
    answerPage(
      ctx,
      <SignInPage {...{ ways, fault }} failure={null} viewer={null} demo={demo()} />,
      fault === null ? 200 : 400,
    );
  const signIn: PageRoute = { path: PATH, GET: (ctx) => showSignIn(ctx, null) };
  if (byLink === null) return [signIn];
  return [{ ...signIn, POST: askForLink(byLink, wayIn, showSignIn) }, openLink(byLink, wayIn)];
}

/** A link is mailed to the address in the form. */
const askForLink = (
  byLink: SignInByLink,
  wayIn: WayIn,
  showSignIn: (ctx: Context, fault: Typed) => void,
): Handler =>
  openForm(async (ctx, form) => {
    const typed = form.get('email') ?? '';
    const email = readEmailAddress(typed);
    if (email === undefined)
      return showSignIn(ctx, { email: typed, words: 'Type an address like name@example.com.' });
    const asked = await byLink.ask(email, wayIn.clientOf(ctx));
    switch (asked.outcome) {
      case 'too many':
        return answerTooMany(ctx, asked.retryAfterSeconds);
      case 'mail away':
        return wayIn.fail(ctx, 'mail away');
      case 'asked':
        wayIn.cookies.write(ctx, 'asker', asked.asker, LINK_LIFETIME / SECOND);
        return answerPage(ctx, <LinkSentPage email={email} />);
    }
  });

/** The page that a mailed link leads to. */
function openLink(byLink: SignInByLink, wayIn: WayIn): PageRoute {
  const open = async (ctx: Context, token: string) => {
    const started = await byLink.open(token, wayIn.clientOf(ctx), wayIn.previous(ctx));
    if (started === null) return wayIn.fail(ctx, 'spent link');
    return 'refused' in started ? answerTooManyAccounts(ctx, started) : wayIn.welcome(ctx, started);
  };

  /** In the browser that asked the link signs in by itself; elsewhere it takes one more click. */
  const follow: Handler = async (ctx) => {
    const token = parameter(ctx, 'token') ?? '';
    const link = await byLink.look(token, wayIn.cookies.read(ctx, 'asker'));
    if (link === null) return wayIn.fail(ctx, 'spent link');
    if (link.isAskedHere && ctx.method === 'GET') return open(ctx, token);
    return answerPage(ctx, <ConfirmLinkPage email={link.email} token={token} />);
  };

  const confirm = openForm((ctx, form) => open(ctx, form.get('token') ?? ''));

  return { path: `${PATH}/link`, GET: follow, POST: confirm };
}
