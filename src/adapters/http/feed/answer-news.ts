import type { FeedReading, ReadFeed } from '../../../application/feed/read-feed.js';
import type { Admitted } from '../../../application/limits/admit-request.js';
import type { GuardAddress } from '../../../application/limits/guard-address.js';
import { refunded } from '../../../application/limits/refund.js';
import { andThen, finallyDo, type MaybePromise, orElse } from '../../../application/maybe-promise.js';
import type { Counters } from '../../../application/ports/limits/counters.js';
import type { FeedQuery } from '../../../domain/feed/feed-query.js';
import type { KeyId } from '../../../domain/keys/api-key.js';
import { isRefusal } from '../../../domain/refusal.js';
import type { Compression } from '../answer/compression.js';
import { isFresh } from '../answer/conditional.js';
import { faultProblem, type ReportFault } from '../answer/faults.js';
import { type Problem, problem, refusalProblem } from '../answer/problem.js';
import type { HonouredHeaders } from '../honoured-headers.js';
import type { Sent } from '../keys/sent-keys.js';
import type { AdmitSentKey } from '../limits/admit-sent-key.js';
import { gatewayProblem } from '../limits/gateway.js';
import type { Bulkhead } from '../listener/bulkhead.js';
import type { AddressRanges } from '../listener/client-address.js';
import type { FinishedPages } from './finished-pages.js';
import {
  type Draft,
  finished,
  type NewsAnswer,
  pageAnswer,
  problemAnswer,
  unchangedAnswer,
} from './news-answers.js';
import type { NewsQueries } from './news-parameters.js';

export const NEWS_PATH = '/pm/v2/news';

/** All that the answer to `GET /pm/v2/news` depends on. */
export type NewsRequest = {
  readonly querystring: string;
  readonly headers: HonouredHeaders;
  readonly sent: Sent;
  readonly address: AddressRanges;
  readonly requestId: string;
};

/** The key, as soon as it is known: the log names it also where the caller leaves before there is an answer. */
export type Seen = { key: KeyId | null };

type Parts = {
  readonly admitSentKey: AdmitSentKey;
  readonly counters: Counters;
  readonly guardAddress: GuardAddress;
  /** Requests that were admitted. */
  readonly working: Bulkhead;
  readonly queries: NewsQueries;
  readonly readFeed: ReadFeed;
  readonly pages: FinishedPages;
  readonly compression: Compression;
  readonly report: ReportFault;
};

/**
 * `GET /pm/v2/news`, from a request to its answer: every rule of this answer is here, and HTTP is not. An answer whose
 * parts are all in the process is returned at once; a promise is one that has to wait for a store or for compression.
 * What throws becomes an answer.
 */
export const answerNews = (parts: Parts) =>
  function answerNews(request: NewsRequest, seen: Seen): MaybePromise<NewsAnswer> {
    return orElse(
      () => admitted(parts, request, seen),
      (fault) => unadmitted(parts, request, faultOf(parts, request, fault)),
    );
  };

export type AnswerNews = ReturnType<typeof answerNews>;

/** The gateway comes first (D18). Whom it admits pays with a permit, unless the answer costs nothing (D34). */
function admitted(parts: Parts, request: NewsRequest, seen: Seen): MaybePromise<NewsAnswer> {
  return andThen(parts.admitSentKey(request.sent, request.address, 1), (admission) => {
    if (admission === 'overloaded') return unadmitted(parts, request, overloaded(request));
    seen.key = admission.key;
    if (!admission.admitted) {
      return finished(
        refused(request, gatewayProblem(admission.refusal, problemContext(request))),
        admission.limits,
      );
    }
    return andThen(worked(parts, request), (draft) => paid(parts, draft, admission));
  });
}

function paid({ counters }: Parts, draft: Draft, admission: Admitted): MaybePromise<NewsAnswer> {
  if (!draft.isRefunded) return finished(draft, admission.limits);
  return andThen(refunded(admission, counters), (limits) => finished(draft, limits));
}

/** Nothing is known of a key: the answer tells of the limits of the address (D33). */
const unadmitted = (
  { guardAddress }: Parts,
  { address }: NewsRequest,
  draft: Draft,
): MaybePromise<NewsAnswer> => andThen(guardAddress.peek(address.group), (limits) => finished(draft, limits));

/** A bounded number of requests is worked on at once. */
function worked(parts: Parts, request: NewsRequest): MaybePromise<Draft> {
  const { subnet } = request.address;
  if (!parts.working.enter(subnet)) return overloaded(request);
  return finallyDo(
    () =>
      orElse(
        () => read(parts, request),
        (fault) => faultOf(parts, request, fault),
      ),
    () => parts.working.leave(subnet),
  );
}

function read(parts: Parts, request: NewsRequest): MaybePromise<Draft> {
  const query = parts.queries.read(request.querystring);
  if (isRefusal(query)) {
    const { headers, ...others } = refusalProblem(query, problemContext(request));
    return refused(request, { ...others, headers: { ...headers, Vary: 'Accept-Encoding' } });
  }
  return andThen(parts.readFeed(query), (reading) => page(parts, request, query, reading));
}

/** The page that was read: whole, compressed, or not at all for who has it (D36). */
function page(
  { pages, compression }: Parts,
  { headers, requestId }: NewsRequest,
  query: FeedQuery,
  reading: FeedReading,
): MaybePromise<Draft> {
  const { body, tag } = pages.of(reading.page, query.marketId, reading.bytesOf);
  const answerFields = { requestId, tag, head: reading.head };
  if (isFresh(tag, headers)) return unchangedAnswer(answerFields);
  const encoding = compression.choose(headers.acceptEncoding, body);
  if (encoding === 'identity') return pageAnswer(answerFields, body, encoding);
  return andThen(compression.of(encoding, tag, body), (bytes) => pageAnswer(answerFields, bytes, encoding));
}

const refused = ({ requestId }: NewsRequest, refusal: Problem): Draft => problemAnswer(requestId, refusal);

const overloaded = (request: NewsRequest): Draft =>
  refused(request, problem('overloaded', problemContext(request)));

function faultOf({ report }: Parts, request: NewsRequest, fault: unknown): Draft {
  report(fault, request.requestId);
  return refused(request, faultProblem(fault, problemContext(request)));
}

const problemContext = ({ requestId }: NewsRequest) => ({ instance: NEWS_PATH, requestId });
