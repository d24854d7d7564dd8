import type { KeyFormat } from '../../../domain/keys/key-value.js';
import { values } from '../parameters.js';
import type { ReadHeaders } from '../read-headers.js';

/** The headers that can carry a key, each with all its values. */
export type KeyHeaders = Pick<ReadHeaders, 'apiKeys' | 'authorizations'>;

/**
 * The key that a request sends. The first carrier in this list that is present is used (D16): an `X-API-Key` that looks
 * like a key, `Authorization: Bearer`, any other `X-API-Key`, `api_key` in the query.
 *
 * A carrier with two different values counts as an unknown key.
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

/** A value that no key can have, so that it is refused as unknown. */
const CONTRADICTION = ' ';

/**
 * The value of a carrier; null if there is none, `CONTRADICTION` if there are different ones. Empty values are ignored.
 */
function only(carried: readonly string[]): string | null {
  let found: string | null = null;
  for (const value of carried) {
    if (value === '' || value === found) continue;
    if (found !== null) return CONTRADICTION;
    found = value;
  }
  return found;
}

/**
 * The carriers in which a request sends its keys, if it sends different ones; empty if it sends one key or none. For the
 * texts of refusals: `credentialOf` alone decides which key counts.
 */
export function carriersOfDifferentKeys(
  { apiKeys, authorizations }: KeyHeaders,
  querystring: string,
): readonly string[] {
  const carriers: readonly (readonly [carrier: string, carried: readonly string[]])[] = [
    ['X-API-Key', apiKeys ?? []],
    ['Authorization', (authorizations ?? []).flatMap(bearerToken)],
    ['api_key', values(querystring, 'api_key')],
  ];
  const sent = carriers
    .map(([carrier, carried]) => [carrier, carried.filter((value) => value !== '')] as const)
    .filter(([, carried]) => carried.length > 0);
  const isOneKey = new Set(sent.flatMap(([, carried]) => carried)).size <= 1;
  return isOneKey ? [] : sent.map(([carrier]) => carrier);
}

const bearerToken = (authorization: string): readonly string[] => {
  const [, token] = /^bearer +(\S.*)$/i.exec(authorization) ?? [];
  return token === undefined ? [] : [token];
};
