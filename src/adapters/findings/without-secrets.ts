import { databaseHosts, hostText } from '../../domain/database-hosts.js';

/** Shorter values are no secrets, and replacing them would damage sentences. */
const LENGTH_MIN = 4;

/** Replaces each secret in a text. The last protection: no message of another program may print a secret. */
export const withoutSecrets = (text: string, secrets: readonly string[]): string =>
  [...secrets]
    .filter((secret) => secret.length >= LENGTH_MIN)
    // The longest first: a secret may contain another one.
    .sort((a, b) => b.length - a.length)
    .reduce((shown, secret) => shown.replaceAll(secret, '***'), text);

/** Host, port and path of a server, without credentials and options. */
export function serverAddress(url: string): string {
  const { host: single, pathname } = new URL(url);
  const isDatabase = /^postgres(ql)?:/.test(url);
  const several = isDatabase ? databaseHosts(url) : [];
  const host = several.length > 1 ? several.map(hostText).join(',') : single;
  return `${host}${pathname.replace(/\/$/, '')}`;
}

/** The passwords of a URL, as they are written and as they are sent. The one for Sentinels is a parameter. */
export function passwordsOf(url: string): readonly string[] {
  const { password, search, searchParams } = new URL(url);
  const ofSentinels = /[?&]sentinel_password=([^&]+)/.exec(search)?.[1];
  return [
    ...decoded(password),
    ...(ofSentinels === undefined ? [] : [ofSentinels, searchParams.get('sentinel_password') ?? '']),
  ];
}

function decoded(password: string): readonly string[] {
  try {
    return [password, decodeURIComponent(password)];
  } catch {
    return [password];
  }
}
