import type { KeyFormat } from '../../../domain/keys/key-value.js';
import type { HonouredHeaders } from '../honoured-headers.js';
import { values } from '../parameters.js';

/** The headers that can carry a key, each as often as it came. */
export type KeyHeaders = Pick<HonouredHeaders, 'apiKeys' | 'authorizations'>;

/**
 * The key that a request sends, by the order of D16: `X-API-Key` that looks like a key, `Authorization:
 * Bearer`, `X-API-Key` whatever it holds, `api_key` in the query. The first that is there decides alone.
 *
 * A carrier that holds two different values holds no key that could exist.
 */
export function credentialOf(
  { apiKeys, authorizations }: KeyHeaders,
  querystring: string,
  { startsLikeKey }: KeyFormat,
  queryKeyAllowed: boolean,
): string | null {
  return (
    (apiKeys?.some(startsLikeKey) ? only(apiKeys) : null) ??
    (authorizations && only(authorizations.flatMap(bearerToken))) ??
    (apiKeys && only(apiKeys)) ??
    (queryKeyAllowed ? only(values(querystring, 'api_key')) : null)
  );
}

/** What no key can be: it is refused like any other that does not exist. */
const CONTRADICTION = ' ';

/** The one value of a carrier, empty ones aside; null where there is none. */
function only(carried: readonly string[]): string | null {
  let found: string | null = null;
  for (const value of carried) {
    if (value === '' || value === found) continue;
    if (found !== null) return CONTRADICTION;
    found = value;
  }
  return found;
}

const bearerToken = (authorization: string): readonly string[] => {
  const [, token] = /^bearer +(\S.*)$/i.exec(authorization) ?? [];
  return token === undefined ? [] : [token];
};
