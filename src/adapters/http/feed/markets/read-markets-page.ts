import type { ReadMarkets } from '../../../../application/feed/read-markets.js';
import type { Admitted } from '../../../../application/limits/admit-request.js';
import { isRefusal } from '../../../../domain/refusal.js';
import { problem, refusalProblem } from '../../answer/problem.js';
import {
  type PaidAnswer,
  type PaidAnswerParts,
  type PaidCall,
  type PaidRead,
  paidAnswer,
} from '../../limits/paid-answer.js';
import type { Bulkhead } from '../../listener/bulkhead.js';
import { marketsJson } from './markets-json.js';
import { marketsQuery } from './markets-parameters.js';

type Parts = PaidAnswerParts & {
  readonly readMarkets: ReadMarkets;
  /** Limits the admitted requests in progress. */
  readonly working: Bulkhead;
};

/**
 * Reads one page of the directory of markets, for callers that are no HTTP response of their own. It costs what the request
 * costs (D63).
 */
export const readMarketsPage = (parts: Parts) =>
  async function readMarketsPage(call: PaidCall): Promise<PaidAnswer> {
    return paidAnswer(parts, call, (admitted) => admittedPage(parts, call, admitted));
  };

export type ReadMarketsPage = ReturnType<typeof readMarketsPage>;

async function admittedPage(
  { readMarkets, working }: Parts,
  { querystring, address: { subnet }, context }: PaidCall,
  { subscription }: Admitted,
): Promise<PaidRead> {
  if (!working.enter(subnet)) return { answer: problem('overloaded', context), isFree: true };
  try {
    const query = marketsQuery(querystring);
    if (isRefusal(query)) return { answer: refusalProblem(query, context), isFree: false };
    const page = await readMarkets(query, subscription);
    return { answer: Buffer.from(marketsJson(page, query.sort)), isFree: false };
  } finally {
    working.leave(subnet);
  }
}
