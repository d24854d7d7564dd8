import { randomUUID } from 'node:crypto';
import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { GuardAddress } from '../../../application/limits/guard-address.js';
import type { Clock } from '../../../application/ports/clock.js';
import { CORS_HEADERS } from '../answer/cors.js';
import { PROBLEM_TYPE, type ProblemCode, problemDocument, statusOf } from '../answer/problem.js';
import { rateLimitHeaders } from '../limits/limit-headers.js';
import { addressGroup } from './client-address.js';
import { httpDate } from './date-header.js';
import { NO_SNIFFING } from './request-start.js';

/** The code of a `CONNECT` request, which Node keeps apart from all others. */
export const CONNECT_METHOD = 'CONNECT_METHOD';

/** What is kept of a request that never became one. */
export type ParserRecord = { readonly request_id: string; readonly status: number; readonly reason: string };

/** How long a caller may take to read the answer and hang up. */
const LINGER_MS = 1_000;

type ParserFault = Error & { readonly code?: string };

/**
 * Answers what the HTTP parser refuses, before there is a request: in the same form as everything
 * else, then closed (D32). `guardAddress` is null on a listener without limits.
 */
export const parserErrors = (parts: {
  readonly guardAddress: GuardAddress | null;
  readonly clock: Clock;
  readonly record: (record: ParserRecord) => void;
}) => {
  const { guardAddress, clock, record } = parts;
  return async (fault: ParserFault, socket: Duplex): Promise<void> => {
    const inHand = answerInHand(socket);
    if (!mayAnswer(fault, socket, inHand)) return void socket.destroy();
    const known = inHand?.getHeader('X-Request-Id');
    const requestId = String(known ?? randomUUID());
    const [code, status] = problemOf(fault);
    const address = (socket as { readonly remoteAddress?: string }).remoteAddress ?? '';
    const limits = await guardAddress?.peek(addressGroup(address));
    if (!mayStillAnswer(socket)) return;
    const body = JSON.stringify(problemDocument(code, status, { instance: '', requestId }));
    const headers = {
      'Content-Type': PROBLEM_TYPE,
      'Content-Length': String(Buffer.byteLength(body)),
      Date: httpDate(clock()),
      'Cache-Control': 'no-store',
      'X-Request-Id': requestId,
      ...NO_SNIFFING,
      Connection: 'close',
      ...(code === 'method_not_allowed' && { Allow: 'GET, HEAD, OPTIONS' }),
      ...(limits && { ...CORS_HEADERS, ...rateLimitHeaders(limits) }),
    };
    const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head.join('')}\r\n${body}`);
    // One that does not read its answer would stay for ever, and with it the request that it never sent whole.
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
    // A request that was under way when its body went wrong has a line of its own.
    if (known === undefined) record({ request_id: requestId, status, reason: fault.code ?? fault.name });
  };
};

function problemOf({ code }: ParserFault): readonly [ProblemCode, number] {
  if (code === 'HPE_HEADER_OVERFLOW') return ['header_too_large', statusOf('header_too_large')];
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return ['bad_request', 408];
  if (code === CONNECT_METHOD) return ['method_not_allowed', statusOf('method_not_allowed')];
  return ['bad_request', statusOf('bad_request')];
}

/** Not on a connection that is gone, nor into the middle of another answer. */
function mayAnswer({ code }: ParserFault, socket: Duplex, inHand: ServerResponse | null): boolean {
  return code !== 'ECONNRESET' && socket.writable && inHand?.headersSent !== true;
}

/** Meanwhile more may have come that is no request, and was answered; or the answer in hand has begun. */
function mayStillAnswer(socket: Duplex): boolean {
  const hasBegun = answerInHand(socket)?.headersSent === true;
  if (hasBegun) socket.destroy();
  return socket.writable;
}

/** Node's own handler looks for it in the same place; there is no public one. */
export const answerInHand = (socket: Duplex): ServerResponse | null =>
  (socket as { readonly _httpMessage?: ServerResponse | null })._httpMessage ?? null;
