import type { Admitted } from '../../../../application/limits/admit-request.js';
import { isFreeFault, type Refund } from '../../../../application/limits/refund.js';
import { isFreeBatch } from '../../../../domain/feed/stream-batch.js';
import { streamToken } from '../../../../domain/feed/stream-position.js';
import type { KeyId } from '../../../../domain/keys/api-key.js';
import type { Limit } from '../../../../domain/limits/rate-limit.js';
import { isRefusal } from '../../../../domain/refusal.js';
import { BatchSink } from '../../../live/connections/batch-sink.js';
import { batchBody } from '../../../live/messages/batch-body.js';
import type { OpenStream, StreamRequest } from '../../../live/open-stream.js';
import { faultProblem, type ReportFault } from '../../answer/faults.js';
import { type Problem, type ProblemContext, problem, refusalProblem } from '../../answer/problem.js';
import type { SentCredential, SentKey } from '../../keys/sent-keys.js';
import type { AdmitSentKey } from '../../limits/admit-sent-key.js';
import { gatewayProblem } from '../../limits/gateway.js';
import type { AddressRanges } from '../../listener/client-address.js';
import { causeProblem, outcomeOf } from './stream-answers.js';
import { streamQuery } from './stream-parameters.js';

type Parts = {
  readonly admitSentKey: AdmitSentKey;
  readonly refund: Refund;
  readonly openStream: OpenStream;
  readonly report: ReportFault;
};

type BatchRequest = {
  readonly querystring: string;
  readonly sent: SentCredential;
  readonly address: AddressRanges;
  readonly context: ProblemContext;
};

/** A batch as JSON, or why there is none; with what the headers and the usage of the key need. */
export type BatchAnswer = {
  readonly key: KeyId | null;
  /** Null: no key is known, so that the limits are those of the client address. */
  readonly limits: readonly Limit[] | null;
  readonly answer: Buffer | Problem;
};

/**
 * Reads one batch without waiting (D58), for callers that are no HTTP response of their own. It costs what the request
 * costs: one permit, given back if the batch does not open (D34). Thrown errors become problems.
 */
export const readBatch = (parts: Parts) =>
  async function readBatch(request: BatchRequest): Promise<BatchAnswer> {
    const { sent, address, context } = request;
    const failed = (fault: unknown): Problem => {
      parts.report(fault, context.requestId);
      return faultProblem(fault, context);
    };
    try {
      const admission = await parts.admitSentKey(sent, address, 1);
      if (admission === 'overloaded')
        return { key: null, limits: null, answer: problem('overloaded', context) };
      const { key, limits } = admission;
      if (!admission.admitted)
        return { key, limits, answer: gatewayProblem(admission.refusal, context, null) };
      const read = await admittedBatch(parts, request, admission).catch((fault: unknown) => ({
        answer: failed(fault),
        isFree: isFreeFault(fault),
      }));
      if (!read.isFree) return { key, limits, answer: read.answer };
      return { key, limits: await parts.refund(admission), answer: read.answer };
    } catch (fault) {
      return { key: null, limits: null, answer: failed(fault) };
    }
  };

export type ReadBatch = ReturnType<typeof readBatch>;

type ReadAnswer = { readonly answer: Buffer | Problem; readonly isFree: boolean };

async function admittedBatch(
  { openStream }: Parts,
  { querystring, sent, context }: BatchRequest,
  admitted: Admitted,
): Promise<ReadAnswer> {
  const query = streamQuery(querystring, '', true);
  if (isRefusal(query)) return { answer: refusalProblem(query, context), isFree: true };
  const { start, filter, isResumed, limit } = query;
  const { hash } = sent as SentKey; // An admitted key was recognised.
  const problemOf: StreamRequest['problemOf'] = (cause) => causeProblem(cause, context);
  const { requestId } = context;
  const asked = { form: 'batch', hash, admitted, start, filter, isResumed, requestId, problemOf } as const;
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
    answer: end === 'complete' ? batchBody({ messages, position, more }) : causeProblem(end, context),
    isFree,
  };
}
