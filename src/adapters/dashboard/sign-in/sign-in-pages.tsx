import type { ComponentChildren } from 'preact';
import { Layout, type Viewer } from '../page/layout.js';
import { MessagePage } from '../page/message-page.js';
import { Notice } from '../page/notice.js';

/** What signing in is offered by. */
export type SignInWays = {
  /** Null where the service has no way to mail, or no https to come back by. */
  readonly isMailed: boolean;
  readonly providers: readonly { readonly id: string; readonly name: string }[];
};

type Fault = { readonly email: string; readonly text: string };

export const SignInPage = ({
  ways,
  fault,
  failure,
  viewer,
  demo,
}: SignInAgain & {
  readonly ways: SignInWays;
  /** What was wrong with the address that was typed. */
  readonly fault: Fault | null;
  readonly demo: ComponentChildren;
}) => (
  <Layout title="Sign in" viewer={viewer} demo={demo}>
    {failure !== null && <FailureNotice failure={failure} />}
    <p>Make API keys, watch their use, and read the feed. The first sign-in opens a Free account.</p>
    <div class="narrow">
      {ways.isMailed && <LinkForm fault={fault} />}
      {ways.isMailed && ways.providers.length > 0 && <p class="or">or</p>}
      {ways.providers.map(({ id, name }) => (
        <p key={id}>
          <a class="button wide" href={`/dashboard/sign-in/${id}`}>
            Sign in with {name}
          </a>
        </p>
      ))}
      {!ways.isMailed && ways.providers.length === 0 && (
        <Notice kind="warning">
          <p>
            There is no way to sign in yet. Whoever runs this service sets <code>SMTP_URL</code>, or a
            provider, and an <code>https</code> address as <code>PUBLIC_URL</code>.
          </p>
        </Notice>
      )}
    </div>
  </Layout>
);

const LinkForm = ({ fault }: { readonly fault: Fault | null }) => (
  <form method="post" action="/dashboard/sign-in">
    <label for="email">E-mail address</label>
    <input
      id="email"
      name="email"
      type="email"
      autocomplete="email"
      required
      maxLength={254}
      value={fault?.email}
      aria-invalid={fault === null ? undefined : 'true'}
      aria-describedby={fault === null ? undefined : 'email-fault'}
    />
    {fault !== null && (
      <p id="email-fault" class="fault">
        {fault.text}
      </p>
    )}
    <button type="submit" class="wide">
      Mail me a sign-in link
    </button>
  </form>
);

/** The same for every address, whether it has an account or not. */
export const LinkSentPage = ({ email }: { readonly email: string }) => (
  <MessagePage
    title="Look into your mail"
    viewer={null}
    next={{ path: '/dashboard/sign-in', label: 'Use another address' }}
  >
    <p>
      A link is on its way to <strong>{email}</strong>. It signs you in once, within 15 minutes. Nothing
      there? Look into the spam, then ask again: five mails in 15 minutes are the most. From one network only
      so many mails a day go to addresses that have no account yet.
    </p>
  </MessagePage>
);

/** For a link that was opened elsewhere than it was asked for: programs that look at mails open links too. */
export const ConfirmLinkPage = ({ email, token }: { readonly email: string; readonly token: string }) => (
  <Layout title="Sign in" viewer={null}>
    <p>
      This link signs in as <strong>{email}</strong>.
    </p>
    <form method="post" action="/dashboard/sign-in/link">
      <input type="hidden" name="token" value={token} />
      <button type="submit">Sign in</button>
    </form>
    <p class="quiet">If you did not ask for it, close this page.</p>
  </Layout>
);

// biome-ignore format: a table is read by its columns
const FAILURES = {
  'spent link':         [410, 'This link is spent',     'It was used before, is older than 15 minutes, or was mailed before its holder signed out everywhere. Ask for a new one here.'],
  'mail away':          [503, 'The mail did not go out', 'The mail server does not answer. Try again in a moment.'],
  'failed':             [403, 'That did not work',      'The sign-in was not completed: it was called off, took too long, or was not begun in this browser.'],
  'email not verified': [403, 'No verified address',    'The provider has not verified an e-mail address of yours. Verify it there, or sign in by a mailed link.'],
  'not an operator':    [403, 'Not an operator',        'You are who you say, but not in the group of operators.'],
  'wrong token':        [403, 'That is not the token',  'Copy the operator token whole, and try again.'],
} as const satisfies Record<string, readonly [status: number, title: string, text: string]>;

export type SignInFailure = keyof typeof FAILURES;

export const statusOfFailure = (failure: SignInFailure): number => FAILURES[failure][0];

/** A sign-in page that says what went wrong, for whoever was signed in before. */
export type SignInAgain = { readonly failure: SignInFailure | null; readonly viewer: Viewer | null };

export const FailureNotice = ({ failure }: { readonly failure: SignInFailure }) => {
  const [, title, text] = FAILURES[failure];
  return (
    <Notice kind="bad" id="failure">
      <p>
        <strong>{title}.</strong> {text}
      </p>
    </Notice>
  );
};
