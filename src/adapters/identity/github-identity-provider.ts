import type { Configuration, CustomFetch } from 'openid-client';
import type {
  IdentityProvider,
  ProvenIdentity,
  SignInFlow,
} from '../../application/ports/sign-in/identity-provider.js';
import { type EmailAddress, readEmailAddress } from '../../domain/accounts/email-address.js';
import { isPlainLoopback } from '../../domain/plain-loopback.js';
import type { GithubSettings } from '../../settings/identity-settings.js';
import { tracedFetch } from '../tracing/traced-call.js';
import { ANSWER_SECONDS, openIdLibrary, signInRequest } from './sign-in-request.js';
import { BadAnswer, withErrorMapping } from './with-error-mapping.js';

const PROVIDER = 'GitHub';

/** GitHub or a GitHub Enterprise Server: OAuth 2.0, and an API for the identity of the user. */
export function githubIdentityProvider(settings: GithubSettings): IdentityProvider {
  return {
    id: 'github',
    name: 'GitHub',
    begin: async (callbackUrl) => {
      const configuration = await configure(settings);
      return signInRequest(configuration, { callbackUrl, scope: 'user:email', withNonce: false });
    },
    complete: async (answeredUrl, flow) => {
      const configuration = await configure(settings);
      const url = new URL(answeredUrl);
      return withErrorMapping(PROVIDER, () => provenIdentity(configuration, settings, url, flow));
    },
  };
}

async function configure({ clientId, clientSecret, url }: GithubSettings): Promise<Configuration> {
  const library = await openIdLibrary();
  const server = {
    issuer: `${url}/login/oauth`, // The value of `iss`, if GitHub sends it (RFC 9207).
    authorization_endpoint: `${url}/login/oauth/authorize`,
    token_endpoint: `${url}/login/oauth/access_token`,
  };
  const configuration = new library.Configuration(server, clientId, clientSecret);
  configuration.timeout = ANSWER_SECONDS;
  configuration[library.customFetch] = fetchAsStandard(server.token_endpoint);
  if (isPlainLoopback(url)) library.allowInsecureRequests(configuration);
  return configuration;
}

/** GitHub refuses a token request with status 200. The library expects status 400, as the standard requires. */
const fetchAsStandard =
  (tokenEndpoint: string): CustomFetch =>
  async (url, options) => {
    const response = await tracedFetch(url, options);
    if (url !== tokenEndpoint || response.status !== 200) return response;
    const body: unknown = await response.json();
    const isRefused = typeof body === 'object' && body !== null && 'error' in body;
    return Response.json(body, { status: isRefused ? 400 : 200 });
  };

async function provenIdentity(
  configuration: Configuration,
  { url, apiUrl }: GithubSettings,
  answeredUrl: URL,
  flow: SignInFlow,
): Promise<ProvenIdentity> {
  const { authorizationCodeGrant, fetchProtectedResource } = await openIdLibrary();
  const { access_token: token } = await authorizationCodeGrant(configuration, answeredUrl, {
    expectedState: flow.state,
    pkceCodeVerifier: flow.codeVerifier,
  });
  const ask = async (path: string): Promise<unknown> => {
    const headers = new Headers({
      accept: 'application/vnd.github+json',
      'x-github-api-version': '2022-11-28',
    });
    const address = new URL(`${apiUrl}${path}`);
    const response = await fetchProtectedResource(configuration, token, address, 'GET', undefined, headers);
    if (response.status !== 200) throw new BadAnswer(`GET ${path} returned ${response.status}`);
    return response.json();
  };
  const [user, emails] = await Promise.all([ask('/user'), ask('/user/emails?per_page=100')]);
  return { issuer: url, subject: idOf(user), email: primaryEmail(emails), groups: [] };
}

/** The number of the user. The login is not used, because a login can be renamed and then belong to another user. */
function idOf(user: unknown): string {
  const id = (user as { readonly id?: unknown } | null)?.id;
  if (typeof id !== 'number' || !Number.isSafeInteger(id)) throw new BadAnswer('GET /user returned no id');
  return String(id);
}

type Address = { readonly email: unknown; readonly primary: unknown; readonly verified: unknown };

function primaryEmail(emails: unknown): EmailAddress | null {
  if (!Array.isArray(emails)) throw new BadAnswer('GET /user/emails returned no list');
  const found = (emails as readonly Address[]).find(
    ({ primary, verified }) => primary === true && verified === true,
  );
  return typeof found?.email === 'string' ? (readEmailAddress(found.email) ?? null) : null;
}
