import type { Admitted } from '../../../../application/limits/admit-request.js';
import { isFreeBatch } from '../../../../domain/feed/stream-batch.js';
import { filterNames } from '../../../../domain/feed/stream-filter.js';
import { streamToken } from '../../../../domain/feed/stream-position.js';
import { isRefusal } from '../../../../domain/refusal.js';
import { BatchSink } from '../../../live/connections/batch-sink.js';
import { batchBody } from '../../../live/messages/batch-body.js';
import type { OpenStream, StreamRequest } from '../../../live/open-stream.js';
import { refusalProblem } from '../../answer/problem.js';
import type { SentKey } from '../../keys/sent-keys.js';
import {
  type PaidAnswer,
  type PaidAnswerParts,
  type PaidCall,
  type PaidRead,
  paidAnswer,
} from '../../limits/paid-answer.js';
import { causeProblem, outcomeOf } from './stream-answers.js';
import { streamQuery } from './stream-parameters.js';

type Parts = PaidAnswerParts & { readonly openStream: OpenStream };

/**
 * Reads one batch without waiting (D58), for callers that are no HTTP response of their own. It costs what the request
 * costs: one permit, given back if the batch does not open (D34). Thrown errors become problems.
 */
export const readBatch = (parts: Parts) =>
  async function readBatch(call: PaidCall): Promise<PaidAnswer> {
    return paidAnswer(parts, call, (admitted) => admittedBatch(parts, call, admitted));
  };

export type ReadBatch = ReturnType<typeof readBatch>;

async function admittedBatch(
  { openStream }: Parts,
  { querystring, sent, address: { address: source }, context }: PaidCall,
  admitted: Admitted,
): Promise<PaidRead> {
  const query = streamQuery(querystring, '', true);
  if (isRefusal(query)) return { answer: refusalProblem(query, context), isFree: true };
  const { start, filter, isResumed, limit } = query;
  const { hash } = sent as SentKey; // An admitted key was recognised.
  const problemOf: StreamRequest['problemOf'] = (cause) => causeProblem(cause, context);
  const { requestId } = context;
  // The callers send no parameter that the stream does not know.
  const asked = {
    ...({ form: 'batch', ignored: [], hash, admitted, source } as const),
    ...{ start, filter, isResumed, requestId, problemOf },
  };
  const prepared = await openStream(asked);
  if (typeof prepared === 'string' || isRefusal(prepared))
    return { answer: causeProblem(prepared, context), isFree: true };
  const sink = new BatchSink({ limit, waitMs: 0 });
  const stream = prepared.start(sink);
  const ended = await sink.ended;
  const position = streamToken(stream.figures.position);
  stream.closed('complete');
  const { messages } = sink;
  const isFree = isFreeBatch(outcomeOf(ended, messages.length, stream));
  const { end, hasMore: more } = ended;
  return {
    answer:
      end === 'complete'
        ? batchBody({ messages, position, more, ignored: [], filters: filterNames(filter) })
        : causeProblem(end, context),
    isFree,
  };
}
