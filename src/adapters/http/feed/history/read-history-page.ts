import type { HistoryRange, ReadHistory } from '../../../../application/feed/read-history.js';
import type { Admitted } from '../../../../application/limits/admit-request.js';
import type { TakeReplayPermit } from '../../../../application/limits/take-replay-permit.js';
import { isRefusal } from '../../../../domain/refusal.js';
import { type Problem, problem, refusalProblem } from '../../answer/problem.js';
import {
  type PaidAnswer,
  type PaidAnswerParts,
  type PaidCall,
  type PaidRead,
  paidAnswer,
} from '../../limits/paid-answer.js';
import type { Bulkhead } from '../../listener/bulkhead.js';
import { historyPageJson } from './change-json.js';
import { type HistoryQuery, historyQuery } from './history-parameters.js';

type PageParts = {
  readonly readHistory: Pick<ReadHistory, 'range' | 'page'>;
  readonly takeReplayPermit: TakeReplayPermit;
};

type Parts = PageParts &
  PaidAnswerParts & {
    /** Limits the admitted requests in progress. */
    readonly working: Bulkhead;
  };

/** The JSON of a page of a range (D61). */
export async function historyPageOf(
  { readHistory, takeReplayPermit }: PageParts,
  { subscription: id, plan, key, own }: Admitted,
  { filter, limit }: Pick<HistoryQuery, 'filter' | 'limit'>,
  range: HistoryRange,
): Promise<Buffer> {
  const takePermit = async () => (await takeReplayPermit({ id, plan }, key, own)) === 'granted';
  return historyPageJson(await readHistory.page(range, filter, limit, takePermit));
}

/**
 * Reads one page of the history, for callers that are no HTTP response of their own. It costs what the request costs (D61).
 */
export const readHistoryPage = (parts: Parts) =>
  async function readHistoryPage(call: PaidCall): Promise<PaidAnswer> {
    return paidAnswer(parts, call, (admitted) => admittedPage(parts, call, admitted));
  };

export type ReadHistoryPage = ReturnType<typeof readHistoryPage>;

async function admittedPage(
  parts: Parts,
  { querystring, address: { subnet }, context }: PaidCall,
  admitted: Admitted,
): Promise<PaidRead> {
  const costs = (answer: Buffer | Problem) => ({ answer, isFree: false });
  if (!parts.working.enter(subnet)) return { answer: problem('overloaded', context), isFree: true };
  try {
    const query = historyQuery(querystring);
    if (isRefusal(query)) return costs(refusalProblem(query, context));
    const range = await parts.readHistory.range(query.bounds);
    if (isRefusal(range)) return costs(refusalProblem(range, context));
    return costs(await historyPageOf(parts, admitted, query, range));
  } finally {
    parts.working.leave(subnet);
  }
}
