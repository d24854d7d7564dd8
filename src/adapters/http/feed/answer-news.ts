import { type FeedReading, narrowedTo, type ReadFeed } from '../../../application/feed/read-feed.js';
import type { PastQuery, ReadPastFeed } from '../../../application/feed/read-past-feed.js';
import type { Admission, Admitted } from '../../../application/limits/admit-request.js';
import type { GuardAddress } from '../../../application/limits/guard-address.js';
import { isFreeFault, type Refund } from '../../../application/limits/refund.js';
import { andThen, finallyDo, type MaybePromise, orElse, settle } from '../../../application/maybe-promise.js';
import type { SubscriptionId } from '../../../domain/billing/subscription.js';
import type { KeyId } from '../../../domain/keys/api-key.js';
import { isRefusal, type Refusal } from '../../../domain/refusal.js';
import type { Compression } from '../answer/compression.js';
import { isFresh } from '../answer/conditional.js';
import { faultProblem, type ReportFault } from '../answer/faults.js';
import { type Problem, type ProblemContext, problem, refusalProblem } from '../answer/problem.js';
import type { ProblemReferences } from '../answer/service-links.js';
import type { SentCredential } from '../keys/sent-keys.js';
import type { AdmitSentKey } from '../limits/admit-sent-key.js';
import { gatewayProblem } from '../limits/gateway.js';
import type { Bulkhead } from '../listener/bulkhead.js';
import type { AddressRanges } from '../listener/client-address.js';
import type { ReadHeaders } from '../read-headers.js';
import type { FinishedPages } from './finished-pages.js';
import {
  type Draft,
  finished,
  type NewsAnswer,
  type ParameterNames,
  pageAnswer,
  problemAnswer,
  unchangedAnswer,
} from './news-answers.js';
import type { NewsQueries, NewsQuery, ReadQuery } from './news-parameters.js';

export const NEWS_PATH = '/pm/v2/news';

/** Everything that the response to `GET /pm/v2/news` depends on. */
export type NewsRequest = {
  readonly querystring: string;
  readonly headers: ReadHeaders;
  readonly sent: SentCredential;
  readonly address: AddressRanges;
  readonly requestId: string;
};

/**
 * `answerNews` sets the key as soon as it is known, so that the log has the key also if the client disconnects before
 * the response.
 */
export type RequestKey = { key: KeyId | null };

type Parts = {
  readonly admitSentKey: AdmitSentKey;
  readonly refund: Refund;
  readonly guardAddress: GuardAddress;
  /** Limits the admitted requests in progress. */
  readonly working: Bulkhead;
  readonly queries: NewsQueries;
  readonly readFeed: ReadFeed;
  readonly readPastFeed: Pick<ReadPastFeed, 'page'>;
  readonly pages: FinishedPages;
  readonly compression: Compression;
  readonly report: ReportFault;
  readonly references: ProblemReferences;
};

/**
 * Answers `GET /pm/v2/news`. It has all rules of this response, and does not use Koa or Node. Returns the response
 * directly if everything is in memory, and a promise if it must wait for a store or for compression. Thrown errors
 * become responses.
 */
export const answerNews = (parts: Parts) =>
  function answerNews(request: NewsRequest, requestKey: RequestKey): MaybePromise<NewsAnswer> {
    const failed = (fault: unknown) => withAddressLimits(parts, request, faultDraft(parts, request, fault));
    return settle(
      () => parts.admitSentKey(request.sent, request.address, 1),
      (admission) => orElse(() => answerDecided(parts, request, requestKey, admission), failed),
      failed,
    );
  };

export type AnswerNews = ReturnType<typeof answerNews>;

/** The gateway has decided first (D18). An admitted request has taken a permit; a response that cost nothing refunds it (D34). */
function answerDecided(
  parts: Parts,
  request: NewsRequest,
  requestKey: RequestKey,
  admission: Admission | 'overloaded',
): MaybePromise<NewsAnswer> {
  if (admission === 'overloaded') return withAddressLimits(parts, request, overloadedDraft(parts, request));
  requestKey.key = admission.key;
  if (!admission.admitted) {
    const refused = gatewayProblem(admission.refusal, problemContext(parts, request), request);
    const names = admission.key === null ? [] : parts.queries.read(request.querystring).ignored;
    return finished(problemDraft(request, refused), admission.limits, { ignored: names, filters: [] });
  }
  const read = parts.queries.read(request.querystring);
  return andThen(readBounded(parts, request, read.query, admission.subscription), (draft) =>
    withRefund(parts, draft, admission, read),
  );
}

function withRefund(
  { refund }: Parts,
  draft: Draft,
  admission: Admitted,
  names: ParameterNames,
): MaybePromise<NewsAnswer> {
  if (!draft.isRefunded) return finished(draft, admission.limits, names);
  return andThen(refund(admission), (limits) => finished(draft, limits, names));
}

/** No key is known, so the response states the limits of the client address (D33). */
const withAddressLimits = (
  { guardAddress }: Parts,
  { address }: NewsRequest,
  draft: Draft,
): MaybePromise<NewsAnswer> => andThen(guardAddress.peek(address.group), (limits) => finished(draft, limits));

/** Reads the page unless too many requests are in progress. */
function readBounded(
  parts: Parts,
  request: NewsRequest,
  query: ReadQuery['query'],
  reader: SubscriptionId,
): MaybePromise<Draft> {
  const { subnet } = request.address;
  if (!parts.working.enter(subnet)) return overloadedDraft(parts, request);
  return finallyDo(
    () =>
      orElse(
        () => read(parts, request, query, reader),
        (fault) => faultDraft(parts, request, fault),
      ),
    () => parts.working.leave(subnet),
  );
}

function read(
  parts: Parts,
  request: NewsRequest,
  query: ReadQuery['query'],
  reader: SubscriptionId,
): MaybePromise<Draft> {
  if (isRefusal(query)) return refused(parts, request, query);
  const { asOf } = query;
  if (asOf !== null) return readPast(parts, request, { ...query, asOf }, reader);
  return andThen(parts.readFeed(query, reader), (reading) => page(parts, request, query, reading));
}

/** The page as it was at a change (D60). */
async function readPast(
  parts: Parts,
  request: NewsRequest,
  query: NewsQuery & PastQuery,
  reader: SubscriptionId,
): Promise<Draft> {
  const reading = await parts.readPastFeed.page(query, reader);
  return isRefusal(reading) ? refused(parts, request, reading) : page(parts, request, query, reading);
}

/** A third read of the past at once is refused before the store is asked, so it is free. */
function refused(parts: Parts, request: NewsRequest, refusal: Refusal): Draft {
  const { headers, ...others } = refusalProblem(refusal, problemContext(parts, request));
  const varied = { ...others, headers: { ...headers, Vary: 'Accept-Encoding' } };
  return problemDraft(request, varied, refusal.refused === 'too_many_reads');
}

/** The response with the page: plain, compressed, or 304 if the client has it (D36). */
function page(
  { pages, compression }: Parts,
  { headers, requestId }: NewsRequest,
  query: NewsQuery,
  reading: FeedReading,
): MaybePromise<Draft> {
  const { body, tag, isKnown } = pages.of(reading, narrowedTo(query));
  const position = pages.tokenOf(reading.position);
  const answerFields = { requestId, tag, head: reading.head, position, isOfThePast: query.asOf !== null };
  if (isFresh(tag, headers)) return unchangedAnswer(answerFields, isKnown);
  const encoding = compression.choose(headers.acceptEncoding, body);
  if (encoding === 'identity') return pageAnswer(answerFields, body, encoding);
  return andThen(compression.of(encoding, tag, body), (bytes) => pageAnswer(answerFields, bytes, encoding));
}

const problemDraft = ({ requestId }: NewsRequest, refusal: Problem, isFree = false): Draft =>
  problemAnswer(requestId, refusal, isFree);

const overloadedDraft = (parts: Parts, request: NewsRequest): Draft =>
  problemDraft(request, problem('overloaded', problemContext(parts, request)), true);

function faultDraft(parts: Parts, request: NewsRequest, fault: unknown): Draft {
  parts.report(fault, request.requestId);
  return problemDraft(request, faultProblem(fault, problemContext(parts, request)), isFreeFault(fault));
}

const problemContext = ({ references }: Parts, { requestId }: NewsRequest): ProblemContext => ({
  instance: NEWS_PATH,
  requestId,
  references,
});
