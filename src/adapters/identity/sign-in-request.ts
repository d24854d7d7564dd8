import type { Configuration } from 'openid-client';
import type { SignInFlow } from '../../application/ports/sign-in/identity-provider.js';

/** How long a provider may take for one answer, its body included. */
export const ANSWER_SECONDS = 5;

/**
 * The library is loaded when somebody first signs in: a service without providers does not carry its 7 MB,
 * nor wait 40 ms for it at its start.
 */
export const openIdLibrary = () => import('openid-client');

/** Where a browser is sent, and what must be remembered of it. A nonce is for who answers with an ID token. */
export async function signInRequest(
  configuration: Configuration,
  { callbackUrl, scope, withNonce }: { callbackUrl: string; scope: string; withNonce: boolean },
): Promise<{ readonly url: string; readonly flow: SignInFlow }> {
  const library = await openIdLibrary();
  const flow = {
    state: library.randomState(),
    nonce: library.randomNonce(),
    codeVerifier: library.randomPKCECodeVerifier(),
  };
  const url = library.buildAuthorizationUrl(configuration, {
    redirect_uri: callbackUrl,
    scope,
    state: flow.state,
    ...(withNonce && { nonce: flow.nonce }),
    code_challenge: await library.calculatePKCECodeChallenge(flow.codeVerifier),
    code_challenge_method: 'S256',
  });
  return { url: url.href, flow };
}
