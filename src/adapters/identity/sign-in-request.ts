import type { Configuration } from 'openid-client';
import type { SignInFlow } from '../../application/ports/sign-in/identity-provider.js';

/** How long a provider may take for one response, including its body. */
export const ANSWER_SECONDS = 5;

/**
 * The library is loaded at the first sign-in: a service without providers saves its 7 MB, and 40 ms at the start.
 */
export const openIdLibrary = () => import('openid-client');

/** The URL to send the browser to, and the flow to store. A nonce is for providers that return an ID token. */
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
