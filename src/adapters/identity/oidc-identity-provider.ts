import type { ClientAuth, Configuration, CustomFetch, IDToken, UserInfoResponse } from 'openid-client';
import type {
  IdentityProvider,
  ProvenIdentity,
  SignInFlow,
} from '../../application/ports/sign-in/identity-provider.js';
import { type EmailAddress, readEmailAddress } from '../../domain/accounts/email-address.js';
import { isPlainLoopback } from '../../domain/plain-loopback.js';
import type { OidcSettings } from '../../settings/identity-settings.js';
import { tracedFetch } from '../tracing/traced-call.js';
import { ANSWER_SECONDS, openIdLibrary, signInRequest } from './sign-in-request.js';
import { unavailable, withErrorMapping } from './with-error-mapping.js';

const PROVIDER = 'the OpenID provider';

/** Any OpenID Connect provider. Its endpoints are discovered at the first sign-in. */
export function oidcIdentityProvider(settings: OidcSettings): IdentityProvider {
  let discovery: Promise<Configuration> | undefined;
  const discovered = (): Promise<Configuration> => {
    discovery ??= discover(settings).catch((fault) => {
      discovery = undefined; // The next sign-in retries.
      throw unavailable(PROVIDER, fault);
    });
    return discovery;
  };
  return {
    id: 'oidc',
    name: settings.name,
    begin: async (callbackUrl) =>
      signInRequest(await discovered(), { callbackUrl, scope: settings.scopes, withNonce: true }),
    complete: async (answeredUrl, flow) => {
      const configuration = await discovered();
      const url = new URL(answeredUrl);
      return withErrorMapping(PROVIDER, () => provenIdentity(configuration, url, flow, settings.groupsClaim));
    },
  };
}

/** Reads the discovery document. Throws if it names another issuer. */
export async function discover({ issuer, clientId, clientSecret }: OidcSettings): Promise<Configuration> {
  const library = await openIdLibrary();
  const [inBody, inHeader] = [
    library.ClientSecretPost(clientSecret),
    library.ClientSecretBasic(clientSecret),
  ];
  // If the provider does not list its methods, it accepts the header: the default of the standard.
  const authentication: ClientAuth = (server, ...request) => {
    const acceptsBody = server.token_endpoint_auth_methods_supported?.includes('client_secret_post') ?? false;
    return (acceptsBody ? inBody : inHeader)(server, ...request);
  };
  return library.discovery(new URL(issuer), clientId, undefined, authentication, {
    timeout: ANSWER_SECONDS,
    [library.customFetch]: tracedFetch as CustomFetch,
    execute: isPlainLoopback(issuer) ? [library.allowInsecureRequests] : [],
  });
}

/**
 * The ID token comes directly from the provider over TLS. The standard accepts that instead of its signature (OpenID
 * Connect Core, 3.1.3.7). Many providers do not include email or groups in the ID token; the userinfo endpoint returns
 * them.
 */
async function provenIdentity(
  configuration: Configuration,
  answeredUrl: URL,
  flow: SignInFlow,
  groupsClaim: string,
): Promise<ProvenIdentity | null> {
  const { authorizationCodeGrant, fetchUserInfo } = await openIdLibrary();
  const tokens = await authorizationCodeGrant(configuration, answeredUrl, {
    expectedState: flow.state,
    expectedNonce: flow.nonce,
    pkceCodeVerifier: flow.codeVerifier,
    idTokenExpected: true,
  });
  const claims = tokens.claims();
  if (claims === undefined) return null;
  const email = verifiedEmail(claims);
  const hasAllClaims = email !== null && claims[groupsClaim] !== undefined;
  const info =
    hasAllClaims || configuration.serverMetadata().userinfo_endpoint === undefined
      ? claims
      : await fetchUserInfo(configuration, tokens.access_token, claims.sub);
  return {
    issuer: claims.iss,
    subject: claims.sub,
    email: email ?? verifiedEmail(info),
    groups: groupsOf(claims[groupsClaim] ?? info[groupsClaim]),
  };
}

/**
 * Reads both claims from the same object, because `email_verified` of one object does not apply to the address in
 * another.
 */
const verifiedEmail = ({
  email,
  email_verified: isVerified,
}: IDToken | UserInfoResponse): EmailAddress | null =>
  isVerified === true && typeof email === 'string' ? (readEmailAddress(email) ?? null) : null;

/** Some providers send a single group as a string. */
const groupsOf = (claim: unknown): readonly string[] =>
  (Array.isArray(claim) ? claim : [claim]).filter((group) => typeof group === 'string');
