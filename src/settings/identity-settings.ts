import type { EnvironmentReader } from './environment.js';
import { readWebAddress } from './web-address-setting.js';

export type OidcSettings = {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The name that people see, like `Google`. */
  readonly name: string;
  readonly scopes: string;
  readonly groupsClaim: string;
};

export type GithubSettings = {
  readonly clientId: string;
  readonly clientSecret: string;
  /** `url` and `apiUrl` have no slash at the end. */
  readonly url: string;
  readonly apiUrl: string;
};

/** The settings of the identity providers. */
export type IdentitySettings = {
  /** Undefined: no sign-in with an OpenID provider. */
  readonly oidc: OidcSettings | undefined;
  /** Undefined: no sign-in with GitHub. */
  readonly github: GithubSettings | undefined;
  /** Members of this group at the OpenID provider are operators. Undefined: no operator signs in there. */
  readonly operatorGroup: string | undefined;
};

export function readIdentity(read: EnvironmentReader): IdentitySettings {
  const operatorGroup = read.given('OPERATOR_GROUP');
  if (operatorGroup !== undefined && read.given('OIDC_ISSUER') === undefined) {
    read.refuse('OPERATOR_GROUP needs OIDC_ISSUER; set OIDC_ISSUER to the provider of the group');
  }
  return { oidc: readOidc(read), github: readGithub(read), operatorGroup };
}

function readOidc(read: EnvironmentReader): OidcSettings | undefined {
  refuseIncomplete(read, ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET']);
  const issuer = readWebAddress(read, 'OIDC_ISSUER');
  const clientId = read.secret('OIDC_CLIENT_ID');
  const clientSecret = read.secret('OIDC_CLIENT_SECRET');
  const name = read.matching('OIDC_NAME', 'OpenID', /^[^\p{Cc}]{1,40}$/u, '1 to 40 characters');
  const scopes = read.matching(
    'OIDC_SCOPES',
    'openid email',
    /^(?=(.* )?openid( |$))[\x21-\x7e]+( [\x21-\x7e]+)*$/,
    'scopes separated by spaces, including openid',
  );
  const groupsClaim = read.given('OIDC_GROUPS_CLAIM') ?? 'groups';
  if (issuer === undefined || clientId === undefined || clientSecret === undefined) return undefined;
  return { issuer, clientId, clientSecret, name, scopes, groupsClaim };
}

function readGithub(read: EnvironmentReader): GithubSettings | undefined {
  refuseIncomplete(read, ['GITHUB_CLIENT_ID', 'GITHUB_CLIENT_SECRET']);
  const clientId = read.secret('GITHUB_CLIENT_ID');
  const clientSecret = read.secret('GITHUB_CLIENT_SECRET');
  const urls = readGithubUrls(read);
  if (clientId === undefined || clientSecret === undefined) return undefined;
  return { clientId, clientSecret, ...urls };
}

/**
 * The CI runners of GitHub set `GITHUB_API_URL` for every process. The URLs are therefore ignored unless
 * `GITHUB_CLIENT_ID` is set.
 */
function readGithubUrls(read: EnvironmentReader): { readonly url: string; readonly apiUrl: string } {
  const defaults = { url: 'https://github.com', apiUrl: 'https://api.github.com' };
  if (read.given('GITHUB_CLIENT_ID') === undefined) {
    read.register('GITHUB_URL', 'GITHUB_API_URL');
    return defaults;
  }
  // If only one of them were set, tokens of an Enterprise Server would be sent to github.com.
  refuseIncomplete(read, ['GITHUB_URL', 'GITHUB_API_URL']);
  const url = readWebAddress(read, 'GITHUB_URL') ?? defaults.url;
  const apiUrl = readWebAddress(read, 'GITHUB_API_URL') ?? defaults.apiUrl;
  return { url: withoutSlash(url), apiUrl: withoutSlash(apiUrl) };
}

const withoutSlash = (url: string) => url.replace(/\/+$/, '');

/** Refuses a group of settings of which only some are set. */
function refuseIncomplete(read: EnvironmentReader, names: readonly string[]): void {
  const missing = names.filter((name) => read.given(name) === undefined);
  if (missing.length === 0 || missing.length === names.length) return;
  const all = `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
  read.refuse(
    `${all} must be set together: ${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} not set`,
  );
}
