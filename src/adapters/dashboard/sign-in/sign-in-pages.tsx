import type { VNode } from 'preact';
import { assetUrl } from '../assets.js';
import { Layout } from '../page/layout.js';
import { MessagePage } from '../page/message-page.js';
import { Notice } from '../page/notice.js';
import type { Viewer } from '../state.js';

/** The sign-in methods that are offered. */
export type SignInMethods = {
  /** Whether links are emailed. That needs a mail server, and a public https address to return to. */
  readonly hasEmailedLinks: boolean;
  /** Without one, on this machine only, the service prints each link instead (`composition/external.ts`). */
  readonly hasMailServer: boolean;
  readonly providers: readonly { readonly id: string; readonly name: string }[];
};

type Fault = { readonly email: string; readonly text: string };

export const SignInPage = ({
  methods,
  fault,
  failure,
  viewer,
  demo,
}: SignInPageState & {
  readonly methods: SignInMethods;
  /** The invalid email address that was entered, and why it was rejected. */
  readonly fault: Fault | null;
  /** The accounts of the demo, which has no mail server; null outside of it. */
  readonly demo: VNode | null;
}) => (
  <Layout title="Sign in" viewer={viewer}>
    <img class="mark" src={assetUrl('icon.svg')} alt="" width="32" height="32" />
    {failure !== null && <FailureNotice failure={failure} />}
    <p>Create API keys, monitor usage, and read the feed. Your first sign-in creates a Free account.</p>
    <div class="sign-in">
      {methods.hasEmailedLinks && <LinkForm fault={fault} hasMailServer={methods.hasMailServer} />}
      {methods.hasEmailedLinks && methods.providers.length > 0 && <p class="or">or</p>}
      {methods.providers.map(({ id, name }) => (
        <p key={id}>
          <a class="button wide" href={`/dashboard/sign-in/${id}`}>
            Sign in with {name}
          </a>
        </p>
      ))}
      {!methods.hasEmailedLinks && methods.providers.length === 0 && demo === null && (
        <Notice kind="warning">
          <p>
            Sign-in is not configured yet. Set <code>PUBLIC_URL</code> to an <code>https</code> address. Then
            set <code>SMTP_URL</code> or an identity provider.
          </p>
        </Notice>
      )}
      {demo}
    </div>
  </Layout>
);

type LinkFormProps = { readonly fault: Fault | null; readonly hasMailServer: boolean };

const LinkForm = ({ fault, hasMailServer }: LinkFormProps) => (
  <form method="post" action="/dashboard/sign-in">
    <label for="email">Email address</label>
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
      Email me a sign-in link
    </button>
    {!hasMailServer && <p class="quiet">No mail server is set: the link is in the service's log.</p>}
  </form>
);

type SentProps = { readonly email: string; readonly hasMailServer: boolean };

/** The same text for every address: it must not reveal whether an account exists. */
export const LinkSentPage = ({ email, hasMailServer }: SentProps) => (
  <MessagePage
    title={hasMailServer ? 'Check your inbox' : 'Open the link from the log'}
    viewer={null}
    next={{ path: '/dashboard/sign-in', label: 'Use a different address' }}
  >
    {hasMailServer ? (
      <p>
        We are sending a sign-in link to <strong>{email}</strong>. It works once and expires after 15 minutes.
      </p>
    ) : (
      <p>
        No mail server is set: the link for <strong>{email}</strong> is in the service's log. It works once
        and expires after 15 minutes.
      </p>
    )}
    {hasMailServer && (
      <p class="quiet">
        No email? Check your spam folder, then request a new link. You can request five emails in 15 minutes.
        New addresses also share a daily limit for your network.
      </p>
    )}
  </MessagePage>
);

/** For a link opened in another browser than the one that requested it: mail scanners open links too. */
export const ConfirmLinkPage = ({ email, token }: { readonly email: string; readonly token: string }) => (
  <Layout title="Sign in" viewer={null}>
    <p>
      This link signs you in as <strong>{email}</strong>.
    </p>
    <form method="post" action="/dashboard/sign-in/link">
      <input type="hidden" name="token" value={token} />
      <button type="submit">Sign in</button>
    </form>
    <p class="quiet">If you did not request this link, close this page.</p>
  </Layout>
);

// biome-ignore format: a table is read by its columns
const FAILURES = {
  'spent link':         [410, 'This link has expired or was already used', 'A link works once, for 15 minutes, and not after you sign out everywhere. Request a new link.'],
  'mail unavailable':          [503, 'The email could not be sent', 'The mail server is not responding. Try again in a moment.'],
  'failed':             [403, 'Sign-in failed',         'The sign-in was canceled, took too long, or started in another browser. Try again.'],
  'email not verified': [403, 'Email address not verified', 'The provider has not verified your email address. Verify it there, or sign in with an emailed link.'],
  'not an operator':    [403, 'Not an operator',        'You are signed in at the provider, but not in the operator group. Ask its administrator to add you.'],
  'wrong token':        [403, 'Wrong operator token',   'Copy the complete operator token and try again.'],
} as const satisfies Record<string, readonly [status: number, title: string, text: string]>;

export type SignInFailure = keyof typeof FAILURES;

export const statusOfFailure = (failure: SignInFailure): number => FAILURES[failure][0];

/** The sign-in page with the reason of a failure. `viewer` is the user who was signed in before, if any. */
export type SignInPageState = { readonly failure: SignInFailure | null; readonly viewer: Viewer | null };

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
