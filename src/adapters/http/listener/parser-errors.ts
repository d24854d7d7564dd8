import { randomUUID } from 'node:crypto';
import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { GuardAddress } from '../../../application/limits/guard-address.js';
import type { Clock } from '../../../application/ports/clock.js';
import { CORS_HEADERS } from '../answer/cors.js';
import { PROBLEM_TYPE, type ProblemCode, problemDocument, statusOf } from '../answer/problem.js';
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

const HEAD = 'HEAD ';

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
  readonly listenerLog: {
    readonly listener: ListenerName;
    readonly unparsed: (record: ParserRecord) => void;
  };
}) => {
  const { guardAddress, clock, listenerLog } = parts;
  const references = problemReferences(parts, listenerLog.listener);
  return async (fault: ParserFault, socket: Duplex): Promise<void> => {
    const inProgress = responseInProgress(socket);
    if (!mayAnswer(fault, socket, inProgress)) return void socket.destroy();
    const known = inProgress?.getHeader('X-Request-Id');
    const requestId = String(known ?? randomUUID());
    const [code, status] = problemOf(fault);
    const address = (socket as { readonly remoteAddress?: string }).remoteAddress ?? '';
    const limits = await guardAddress?.peek(addressGroup(address));
    if (!mayStillAnswer(socket)) return;
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
      ...(code === 'method_not_allowed' && { Allow: 'GET, HEAD, OPTIONS' }),
      ...(limits && { ...CORS_HEADERS, ...rateLimitHeaders(limits) }),
    };
    const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head.join('')}\r\n${sentBody(fault, body)}`);
    // Without this, a client that does not read would keep the connection and its incomplete request open permanently.
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
    // If the body of a request was refused while the request was handled, the access log already has its line.
    if (known === undefined)
      listenerLog.unparsed({ request_id: requestId, status, reason: fault.code ?? fault.name });
  };
};

function problemOf({ code }: ParserFault): readonly [ProblemCode, number] {
  if (code === 'HPE_HEADER_OVERFLOW') return ['header_too_large', statusOf('header_too_large')];
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return ['bad_request', 408];
  if (code === CONNECT_METHOD) return ['method_not_allowed', statusOf('method_not_allowed')];
  return ['bad_request', statusOf('bad_request')];
}

/** The client of a HEAD request reads no body (RFC 9110, 9.3.2), and would take it for another response. */
const sentBody = ({ rawPacket }: ParserFault, body: string): string =>
  rawPacket?.subarray(0, HEAD.length).toString('latin1') === HEAD ? '' : body;

const detailOf = (status: number): { readonly detail?: string } =>
  status === 408 ? { detail: 'The request did not arrive in time. Send it again.' } : {};

/** Whether the connection is open and no other response has begun on it. */
function mayAnswer({ code }: ParserFault, socket: Duplex, inProgress: ServerResponse | null): boolean {
  return code !== 'ECONNRESET' && socket.writable && inProgress?.headersSent !== true;
}

/**
 * Whether a response is still possible after the wait for the limits. Meanwhile another parser error may have been
 * answered, or the response in progress may have begun.
 */
function mayStillAnswer(socket: Duplex): boolean {
  const hasBegun = responseInProgress(socket)?.headersSent === true;
  if (hasBegun) socket.destroy();
  return socket.writable;
}

/**
 * The response in progress on a connection. Node has no public property for it; its own error handler reads this
 * private one.
 */
export const responseInProgress = (socket: Duplex): ServerResponse | null =>
  (socket as { readonly _httpMessage?: ServerResponse | null })._httpMessage ?? null;
