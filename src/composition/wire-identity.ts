import { githubIdentityProvider } from '../adapters/identity/github-identity-provider.js';
import { oidcIdentityProvider } from '../adapters/identity/oidc-identity-provider.js';
import type { Config } from '../settings/config.js';
import { IDENTITY_PROVIDERS, type Wiring } from './parts.js';

/** Where people can prove who they are, in the order that a page offers it. */
export function wireIdentity({ part }: Wiring, { identity: { oidc, github } }: Config): void {
  part(IDENTITY_PROVIDERS, () => [
    ...(oidc === undefined ? [] : [oidcIdentityProvider(oidc)]),
    ...(github === undefined ? [] : [githubIdentityProvider(github)]),
  ]);
}
