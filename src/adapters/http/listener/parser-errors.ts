import { randomUUID } from 'node:crypto';
import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { GuardAddress } from '../../../application/limits/guard-address.js';
import type { Clock } from '../../../application/ports/clock.js';
import type { Limit } from '../../../domain/limits/rate-limit.js';
import { CORS_HEADERS } from '../answer/cors.js';
import {
  PROBLEM_TYPE,
  type ProblemCode,
  problemDocument,
  retryHeaders,
  statusOf,
} from '../answer/problem.js';
import { type ListenerName, problemReferences } from '../answer/service-links.js';
import { rateLimitHeaders } from '../limits/limit-headers.js';
import { addressGroup } from './client-address.js';
import { httpDate } from './date-header.js';
import { NO_SNIFFING } from './request-start.js';

/** The code of a `CONNECT` request, for which Node has a separate event. */
export const CONNECT_METHOD = 'CONNECT_METHOD';

/** The log record of a request that the parser refused. */
export type ParserRecord = { readonly request_id: string; readonly status: number; readonly reason: string };

/** How long a client may take to read the response and close the connection. */
const LINGER_MS = 1_000;

const HEAD = Buffer.from('HEAD ');

/** `rawPacket`: the bytes that the parser was reading. */
type ParserFault = Error & { readonly code?: string; readonly rawPacket?: Buffer };

/**
 * If the HTTP parser refuses a request, answers with a problem document and closes the connection (D32). `guardAddress`
 * is null on a listener without limits.
 */
export const parserErrors = (parts: {
  readonly guardAddress: GuardAddress | null;
  readonly clock: Clock;
  readonly publicAddress: { readonly url: () => string };
  readonly config: { readonly supportContact: string | undefined };
  readonly listenerLog: {
    readonly listener: ListenerName;
    readonly unparsed: (record: ParserRecord) => void;
  };
}) => {
  const { guardAddress, clock, listenerLog } = parts;
  const references = problemReferences(parts, listenerLog.listener);
  const answer = (fault: ParserFault, socket: Duplex, limits: readonly Limit[] | undefined) => {
    const inProgress = responseInProgress(socket);
    const known = inProgress?.getHeader('X-Request-Id');
    const requestId = String(known ?? randomUUID());
    const [code, status] = problemOf(fault);
    const body = JSON.stringify(
      problemDocument(code, status, { instance: '', requestId, references }, detailOf(status)),
    );
    const headers = {
      'Content-Type': PROBLEM_TYPE,
      'Content-Length': String(Buffer.byteLength(body)),
      Date: httpDate(clock()),
      'Cache-Control': 'no-store',
      Link: references.links,
      'X-Request-Id': requestId,
      ...NO_SNIFFING,
      Connection: 'close',
      ...retryHeaders(code, status),
      ...(code === 'method_not_allowed' && { Allow: 'GET, HEAD, OPTIONS' }),
      ...(limits && { ...CORS_HEADERS, ...rateLimitHeaders(limits) }),
    };
    const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const sentBody = isToHead(fault, inProgress) ? '' : body;
    endSoon(socket, `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head.join('')}\r\n${sentBody}`);
    // If the body of a request was refused while the request was handled, the access log already has its line.
    if (known === undefined)
      listenerLog.unparsed({ request_id: requestId, status, reason: fault.code ?? fault.name });
  };
  return async (fault: ParserFault, socket: Duplex): Promise<void> => {
    const before = responseInProgress(socket);
    if (!mayAnswer(fault, socket, before)) return void socket.destroy();
    const address = (socket as { readonly remoteAddress?: string }).remoteAddress ?? '';
    const limits = await guardAddress?.peek(addressGroup(address));
    if (mayStillAnswer(socket, before)) answer(fault, socket, limits);
  };
};

function problemOf({ code }: ParserFault): readonly [ProblemCode, number] {
  if (code === 'HPE_HEADER_OVERFLOW') return ['header_too_large', statusOf('header_too_large')];
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return ['bad_request', 408];
  if (code === CONNECT_METHOD) return ['method_not_allowed', statusOf('method_not_allowed')];
  return ['bad_request', statusOf('bad_request')];
}

/**
 * Whether the answer is to a HEAD request. Its client reads no body (RFC 9110, 9.3.2), and would take one for another
 * response. The answer takes the place of the response in progress, and so is to the request of that response. If there is
 * none, the packet begins with the refused request. The method is unknown if that request began in an earlier packet: it
 * then gets a body, because a client that sent too many headers needs the reason, and no response follows the answer.
 */
const isToHead = ({ rawPacket }: ParserFault, inProgress: ServerResponse | null): boolean =>
  inProgress === null
    ? rawPacket?.subarray(0, HEAD.length).equals(HEAD) === true
    : inProgress.req.method === 'HEAD';

const detailOf = (status: number): { readonly detail?: string } =>
  status === 408 ? { detail: 'The request did not arrive in time. Send it again.' } : {};

/** Whether the connection is open and no other response has begun on it. */
function mayAnswer({ code }: ParserFault, socket: Duplex, inProgress: ServerResponse | null): boolean {
  return code !== 'ECONNRESET' && socket.writable && inProgress?.headersSent !== true;
}

/**
 * Whether a response is still possible after the wait for the limits. Meanwhile another parser error may have been
 * answered, or the response that was in progress may have begun. If it is complete, its request is answered: another
 * answer would be to the refused request, whose method is unknown.
 */
function mayStillAnswer(socket: Duplex, before: ServerResponse | null): boolean {
  if (!socket.writable) return false;
  const inProgress = responseInProgress(socket);
  const isComplete = before !== null && inProgress === null;
  if (inProgress?.headersSent === true) socket.destroy();
  else if (isComplete) endSoon(socket, '');
  return socket.writable;
}

/** Without the timer, a client that does not read would keep the connection and its incomplete request open permanently. */
function endSoon(socket: Duplex, last: string): void {
  socket.end(last);
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

/**
 * The response in progress on a connection. Node has no public property for it; its own error handler reads this
 * private one.
 */
export const responseInProgress = (socket: Duplex): ServerResponse | null =>
  (socket as { readonly _httpMessage?: ServerResponse | null })._httpMessage ?? null;
