import type { GithubSettings } from './adapters/identity/github-identity-provider.js';
import type { OidcSettings } from './adapters/identity/oidc-identity-provider.js';
import { isPlainLoopback } from './adapters/identity/plain-loopback.js';
import type { EnvironmentReader } from './adapters/system/environment.js';

/** The settings of who may prove to the service who somebody is. */
export type IdentitySettings = {
  /** Undefined: no sign-in with an OpenID provider. */
  readonly oidc: OidcSettings | undefined;
  /** Undefined: no sign-in with GitHub. */
  readonly github: GithubSettings | undefined;
  /** Who is in it at the OpenID provider is an operator. Undefined: nobody signs in as one there. */
  readonly operatorGroup: string | undefined;
};

export function readIdentity(read: EnvironmentReader): IdentitySettings {
  const operatorGroup = read.given('OPERATOR_GROUP');
  if (operatorGroup !== undefined && read.given('OIDC_ISSUER') === undefined) {
    read.refuse('OPERATOR_GROUP needs OIDC_ISSUER: a group at which provider?');
  }
  return { oidc: readOidc(read), github: readGithub(read), operatorGroup };
}

function readOidc(read: EnvironmentReader): OidcSettings | undefined {
  refuseParted(read, ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET']);
  const issuer = readAddress(read, 'OIDC_ISSUER', read.url('OIDC_ISSUER', WEB));
  const clientId = read.secret('OIDC_CLIENT_ID');
  const clientSecret = read.secret('OIDC_CLIENT_SECRET');
  const name = read.matching('OIDC_NAME', 'OpenID', /^[^\p{Cc}]{1,40}$/u, '1 to 40 characters');
  const scopes = read.matching(
    'OIDC_SCOPES',
    'openid email',
    /^(?=(.* )?openid( |$))[\x21-\x7e]+( [\x21-\x7e]+)*$/,
    'scopes with a space between them, openid among them',
  );
  const groupsClaim = read.given('OIDC_GROUPS_CLAIM') ?? 'groups';
  if (issuer === undefined || clientId === undefined || clientSecret === undefined) return undefined;
  return { issuer, clientId, clientSecret, name, scopes, groupsClaim };
}

function readGithub(read: EnvironmentReader): GithubSettings | undefined {
  refuseParted(read, ['GITHUB_CLIENT_ID', 'GITHUB_CLIENT_SECRET']);
  // Else the tokens of an Enterprise Server would be shown to github.com.
  refuseParted(read, ['GITHUB_URL', 'GITHUB_API_URL']);
  const clientId = read.secret('GITHUB_CLIENT_ID');
  const clientSecret = read.secret('GITHUB_CLIENT_SECRET');
  const url = readAddress(read, 'GITHUB_URL', read.url('GITHUB_URL', WEB)) ?? 'https://github.com';
  const apiUrl =
    readAddress(read, 'GITHUB_API_URL', read.url('GITHUB_API_URL', WEB)) ?? 'https://api.github.com';
  if (clientId === undefined || clientSecret === undefined) return undefined;
  return { clientId, clientSecret, url: withoutSlash(url), apiUrl: withoutSlash(apiUrl) };
}

const WEB = ['https', 'http'];

const withoutSlash = (url: string) => url.replace(/\/+$/, '');

function readAddress(read: EnvironmentReader, name: string, url: string | undefined): string | undefined {
  if (url === undefined || url.startsWith('https:') || isPlainLoopback(url)) return url;
  read.refuse(`${name} must begin with https://; plain http is for this machine's own addresses alone`);
  return undefined;
}

/** Settings of which one alone says nothing. */
function refuseParted(read: EnvironmentReader, names: readonly string[]): void {
  const missing = names.filter((name) => read.given(name) === undefined);
  if (missing.length === 0 || missing.length === names.length) return;
  const all = `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
  read.refuse(`${all} go together: ${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} not set`);
}
