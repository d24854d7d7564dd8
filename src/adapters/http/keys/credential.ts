import type { KeyFormat } from '../../../domain/keys/key-value.js';
import { values } from '../parameters.js';
import type { Context } from '../state.js';

/**
 * The key that a request sends, by the order of D16: `X-API-Key` that looks like a key, `Authorization:
 * Bearer`, `X-API-Key` whatever it holds, `api_key` in the query. The first that is there decides alone.
 *
 * A carrier that holds two different values holds no key that could exist.
 */
export function credentialOf(
  ctx: Context,
  { startsLikeKey }: KeyFormat,
  queryKeyAllowed: boolean,
): string | null {
  // Of two headers of one name Node keeps the first, or joins both (T4).
  const { 'x-api-key': header = [], authorization = [] } = ctx.req.headersDistinct;
  const carriers = [
    header.some(startsLikeKey) ? header : [],
    authorization.flatMap(bearerToken),
    header,
    queryKeyAllowed ? values(ctx.querystring, 'api_key') : [],
  ];
  const chosen = carriers.map(distinct).find((carrier) => carrier.length > 0);
  if (chosen === undefined) return null;
  const [only, ...others] = chosen;
  return only !== undefined && others.length === 0 ? only : CONTRADICTION;
}

/** What no key can be: it is refused like any other that does not exist. */
const CONTRADICTION = ' ';

const distinct = (carried: readonly string[]): readonly string[] => [
  ...new Set(carried.filter((value) => value !== '')),
];

export const bearerToken = (authorization: string): readonly string[] => {
  const [, token] = /^bearer +(\S.*)$/i.exec(authorization) ?? [];
  return token === undefined ? [] : [token];
};
