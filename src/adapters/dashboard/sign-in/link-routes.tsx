import type { VNode } from 'preact';
import type { SignInByLink } from '../../../application/sign-in/sign-in-by-link.js';
import { readEmailAddress } from '../../../domain/accounts/email-address.js';
import { SECOND } from '../../../domain/moment.js';
import { LINK_LIFETIME } from '../../../domain/sign-in/sign-in.js';
import { answerPage } from '../page/answer.js';
import { answerTooMany, answerTooManyAccounts } from '../page/error-page.js';
import type { PageRoute } from '../page-router.js';
import { type Context, type Handler, parameter } from '../state.js';
import { openForm } from '../visit.js';
import type { SignInOptions } from './sign-in-options.js';
import { ConfirmLinkPage, LinkSentPage, type SignInMethods, SignInPage } from './sign-in-pages.js';

const PATH = '/dashboard/sign-in';

type InvalidEmail = { readonly email: string; readonly text: string };

type LinkRouteParts = {
  /** Null if no link can be emailed, or if the service has no public address to return to. */
  readonly byLink: SignInByLink | null;
  readonly methods: SignInMethods;
  readonly signInOptions: SignInOptions;
  readonly demo: () => VNode | null;
};

/** The page with all sign-in methods, and sign-in by an emailed link. */
export function linkRoutes({ byLink, methods, signInOptions, demo }: LinkRouteParts): readonly PageRoute[] {
  const showSignIn = (ctx: Context, fault: InvalidEmail | null) =>
    answerPage(
      ctx,
      <SignInPage {...{ methods, fault }} failure={null} viewer={null} demo={demo()} />,
      fault === null ? 200 : 400,
    );
  const signIn: PageRoute = { path: PATH, GET: (ctx) => showSignIn(ctx, null) };
  if (byLink === null) return [signIn];
  return [
    { ...signIn, POST: askForLink(byLink, methods, signInOptions, showSignIn) },
    openLink(byLink, signInOptions),
  ];
}

/** Emails a link to the address in the form. */
const askForLink = (
  byLink: SignInByLink,
  { hasMailServer }: SignInMethods,
  signInOptions: SignInOptions,
  showSignIn: (ctx: Context, fault: InvalidEmail) => void,
): Handler =>
  openForm(async (ctx, form) => {
    const typed = form.get('email') ?? '';
    const email = readEmailAddress(typed);
    if (email === undefined)
      return showSignIn(ctx, { email: typed, text: 'Enter an email address such as name@example.com.' });
    const asked = await byLink.ask(email, signInOptions.clientOf(ctx));
    switch (asked.outcome) {
      case 'too many':
        return answerTooMany(ctx, asked.retryAfterSeconds);
      case 'mail unavailable':
        return signInOptions.fail(ctx, 'mail unavailable');
      case 'asked':
        signInOptions.cookies.write(ctx, 'asker', asked.asker, LINK_LIFETIME / SECOND);
        return answerPage(ctx, <LinkSentPage email={email} hasMailServer={hasMailServer} />);
    }
  });

/** The target of an emailed link. */
function openLink(byLink: SignInByLink, signInOptions: SignInOptions): PageRoute {
  const open = async (ctx: Context, token: string) => {
    const started = await byLink.open(token, signInOptions.clientOf(ctx), signInOptions.previous(ctx));
    if (started === null) return signInOptions.fail(ctx, 'spent link');
    return 'refused' in started ? answerTooManyAccounts(ctx, started) : signInOptions.welcome(ctx, started);
  };

  /** In the browser that requested it, the link signs in directly; any other browser must confirm. */
  const follow: Handler = async (ctx) => {
    const token = parameter(ctx, 'token') ?? '';
    const link = await byLink.find(token, signInOptions.cookies.read(ctx, 'asker'));
    if (link === null) return signInOptions.fail(ctx, 'spent link');
    if (link.isAskedHere && ctx.method === 'GET') return open(ctx, token);
    return answerPage(ctx, <ConfirmLinkPage email={link.email} token={token} />);
  };

  const confirm = openForm((ctx, form) => open(ctx, form.get('token') ?? ''));

  return { path: `${PATH}/link`, GET: follow, POST: confirm };
}
