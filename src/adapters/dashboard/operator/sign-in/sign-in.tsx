import type { SignInAsOperator } from '../../../../application/sign-in/sign-in-as-operator.js';
import type { SignInByProvider } from '../../../../application/sign-in/sign-in-by-provider.js';
import type { ClientGroups } from '../../../../domain/limits/attempt.js';
import type { CookieJar } from '../../cookies.js';
import { answerPage } from '../../page/answer.js';
import { answerTooMany } from '../../page/error-page.js';
import { Layout } from '../../page/layout.js';
import { Notice } from '../../page/notice.js';
import type { PageRoute } from '../../page-router.js';
import { type ProviderFlow, providerRoutes } from '../../sign-in/provider-routes.js';
import { type SignInOptions, signInOptions } from '../../sign-in/sign-in-options.js';
import { FailureNotice, type SignInPageState } from '../../sign-in/sign-in-pages.js';
import type { Handler } from '../../state.js';
import { openForm } from '../../visit.js';

const PATH = '/operator/sign-in';

type Provider = { readonly id: string; readonly name: string };

export type OperatorSignInParts = {
  /** Null if others could read the submitted token. */
  readonly signInAsOperator: SignInAsOperator | null;
  readonly signInByProvider: SignInByProvider;
  /** The provider whose group contains the operators; null if none is configured. */
  readonly groupProvider: Provider | null;
};

/** Sign-in to the console: with the operator token, and with the group of a provider if configured. */
export function operatorSignInRoutes(
  parts: OperatorSignInParts,
  cookies: CookieJar,
  clientGroups: (address: string) => ClientGroups,
): readonly PageRoute[] {
  const { signInAsOperator, groupProvider } = parts;
  const page = (state: SignInPageState) => (
    <OperatorSignInPage takesToken={signInAsOperator !== null} provider={groupProvider} {...state} />
  );
  const options = signInOptions('operator', cookies, clientGroups, page);

  const GET: Handler = (ctx) => answerPage(ctx, page({ failure: null, viewer: null }));
  return [
    { path: PATH, GET, ...(signInAsOperator !== null && { POST: takeToken(signInAsOperator, options) }) },
    ...(groupProvider === null ? [] : providerRoutes(only(groupProvider, parts.signInByProvider), options)),
  ];
}

const takeToken = (signInAsOperator: SignInAsOperator, options: SignInOptions): Handler =>
  openForm(async (ctx, form) => {
    const token = (form.get('token') ?? '').trim();
    const answer = await signInAsOperator(token, options.clientOf(ctx).address, options.previous(ctx));
    switch (answer.outcome) {
      case 'too many':
        return answerTooMany(ctx, answer.retryAfterSeconds);
      case 'wrong token':
        return options.fail(ctx, 'wrong token');
      case 'signed in':
        return options.welcome(ctx, answer.started);
    }
  });

/** Other providers have no groups, so nobody could sign in with them. */
const only = ({ id }: Provider, byProvider: SignInByProvider): ProviderFlow => ({
  complete: (...brought) => byProvider.complete(...brought),
  begin: async (provider, ...more) => (provider === id ? byProvider.begin(provider, ...more) : null),
});

const OperatorSignInPage = ({
  takesToken,
  provider,
  failure,
  viewer,
}: SignInPageState & {
  readonly takesToken: boolean;
  readonly provider: Provider | null;
}) => (
  <Layout title="Operator sign-in" viewer={viewer}>
    {failure !== null && <FailureNotice failure={failure} />}
    <p>For operators of this service. The audit log records every action with its reason.</p>
    <div class="narrow">
      {provider !== null && (
        <p>
          <a class="button wide" href={`${PATH}/${provider.id}`}>
            Sign in with {provider.name}
          </a>
        </p>
      )}
      {provider !== null && takesToken && <p class="or">or</p>}
      {takesToken && <TokenForm isWrong={failure === 'wrong token'} />}
      {provider === null && !takesToken && (
        <Notice kind="warning">
          <p>
            Sign-in is not available here. Set <code>PUBLIC_URL</code> to an <code>https</code> address, or
            open this page on the server itself.
          </p>
        </Notice>
      )}
    </div>
    <p class="quiet">
      Customers sign in to <a href="/dashboard">the dashboard</a>.
    </p>
  </Layout>
);

const TokenForm = ({ isWrong }: { readonly isWrong: boolean }) => (
  <form method="post" action={PATH}>
    <label for="token">Operator token</label>
    <input
      id="token"
      name="token"
      type="password"
      autocomplete="current-password"
      required
      aria-invalid={isWrong ? 'true' : undefined}
      aria-describedby={isWrong ? 'failure' : undefined}
    />
    <button type="submit" class="wide">
      Sign in
    </button>
  </form>
);
