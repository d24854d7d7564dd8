import { parseJson } from '../http/answer/body.js';
import type { ReportFault } from '../http/answer/faults.js';
import { type Problem, writeProblem } from '../http/answer/problem.js';
import type { Context } from '../http/state.js';
import { type AnswerForm, answerFormOf } from './answer-form.js';
import type { CallApi } from './api.js';
import { toolServers } from './tool-server.js';

/** The request headers that the library reads. It never gets the key. */
const PASSED = /^(?:accept|content-type|last-event-id|mcp-.+)$/;
/** The library refuses requests that do not name both forms. */
const BOTH_FORMS = 'application/json, text/event-stream';

/** Error codes of JSON-RPC 2.0. */
const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;
const METHOD_NOT_FOUND = -32_601;
const INTERNAL_ERROR = '"code":-32603';
const SERVER_ERROR = 500;

type Serving = {
  readonly version: string;
  readonly report: ReportFault;
  /** Why a message that calls no tool is refused; null if it is not. A call of a tool takes the permit of its request. */
  readonly whyNotServed: (ctx: Context) => Promise<Problem | null>;
};

const CALL = 'tools/call';
const LIST = 'tools/list';
/** Different requests for the list of tools: with their headers, and without their ids. */
const LISTS_MAX = 20;
/** A longer request is none of a usual client. */
const LIST_NAME_MAX = 2_000;

/** The library, loaded at the first call: it needs 130 ms and 25 MB, which a service without agents saves. */
async function loadServing(version: string) {
  const library = await import('@modelcontextprotocol/server');
  return { library, toolServer: toolServers(library, version) };
}

type LibraryAnswer = { readonly status: number; readonly type: string | null; readonly body: Buffer };

/** Answers one message of JSON-RPC. All messages of a client are independent of each other. */
export function serveJsonRpc({ version, report, whyNotServed }: Serving) {
  const askLibrary = library({ version, report });
  const lists = new Map<string, string>();
  return async function serve(ctx: Context, body: Buffer, callApi: CallApi): Promise<void> {
    const parsed = parseJson(body);
    if ('refused' in parsed) return refuse(ctx, PARSE_ERROR, 'The body is not valid JSON.');
    const message = parsed.json;
    const fault = faultOf(message);
    if (fault !== null) return refuse(ctx, fault.code, fault.message, idOf(message));
    const refusal = methodOf(message) === CALL ? null : await whyNotServed(ctx);
    if (refusal !== null) return writeProblem(ctx, refusal);
    const ask = () => askLibrary(ctx, message, callApi);
    const isList = methodOf(message) === LIST;
    write(ctx, await (isList ? listed(lists, listName(ctx, message), idOf(message), ask) : ask()));
  };
}

/** Answers over the library of the protocol. */
function library({ version, report }: Omit<Serving, 'whyNotServed'>) {
  let loading: ReturnType<typeof loadServing> | null = null;
  return async function askLibrary(ctx: Context, message: unknown, callApi: CallApi): Promise<LibraryAnswer> {
    loading ??= loadServing(version);
    const { library, toolServer } = await loading;
    const { requestId } = ctx.state;
    const agent = { callApi, requestId, report: (thrown: unknown) => report(thrown, requestId) };
    const noted: unknown[] = [];
    // With `responseMode: 'json'`, the library would write a warning to standard error for each handler.
    const handler = library.createMcpHandler(() => toolServer(agent), {
      keepAliveMs: 0,
      onerror: (fault) => void noted.push(fault),
    });
    const form = answerFormOf(ctx.req.headers.accept);
    const request = new Request('http://localhost/mcp', {
      method: 'POST',
      headers: passedHeaders(ctx, form),
    });
    const response = await handler.fetch(request, { parsedBody: message });
    // The answer is complete when the tool has ended, also as an event stream. Its headers need the limits of then.
    const text = await response.text();
    if (isOwnFault(response.status, text)) noted.forEach(agent.report);
    return answerIn(form, response, text);
  };
}

function answerIn(form: AnswerForm, { status, headers }: Response, text: string): LibraryAnswer {
  const type = headers.get('content-type');
  const message = form === 'json' && type === EVENT_STREAM ? onlyMessage(text) : null;
  if (message === null) return { status, type, body: Buffer.from(text) };
  return { status, type: type === null ? null : 'application/json', body: Buffer.from(message) };
}

/** The list of tools, which is the same for every client and takes 2 ms to make; or the answer without one. */
async function listed(
  lists: Map<string, string>,
  name: string,
  id: string | number | null,
  ask: () => Promise<LibraryAnswer>,
): Promise<LibraryAnswer> {
  const known = lists.get(name);
  if (known !== undefined) return resultWith(id, known);
  const answer = await ask();
  const result = resultIn(answer.body);
  if (result === undefined) return answer;
  if (lists.size < LISTS_MAX && name.length <= LIST_NAME_MAX) lists.set(name, result);
  return resultWith(id, result);
}

const listName = (ctx: Context, message: unknown): string =>
  JSON.stringify([passedHeaders(ctx, answerFormOf(ctx.req.headers.accept)), paramsOf(message)]);

/** The result in an answer as JSON or as an event stream, without the id of its request; undefined if it has none. */
function resultIn(answer: Buffer): string | undefined {
  const text = answer.toString('utf8');
  const [, json = text] = /^data: (.*)$/m.exec(text) ?? [];
  const parsed = parseJson(Buffer.from(json));
  const { result } = 'refused' in parsed ? {} : (parsed.json as { readonly result?: object });
  return result === undefined ? undefined : JSON.stringify(result);
}

const resultWith = (id: string | number | null, result: string): LibraryAnswer => ({
  status: 200,
  type: 'application/json',
  body: Buffer.from(`{"result":${result},"jsonrpc":"2.0","id":${JSON.stringify(id)}}`),
});

function write(ctx: Context, answer: LibraryAnswer): void {
  const { status, type, body } = answer;
  ctx.body = body.length === 0 ? null : body;
  ctx.status = status;
  if (type !== null) ctx.set('Content-Type', type);
}

function passedHeaders(ctx: Context, form: AnswerForm): [string, string][] {
  const sent = Object.entries(ctx.req.headers).flatMap(([name, value]): [string, string][] =>
    PASSED.test(name) && name !== 'accept' ? [[name, String(value)]] : [],
  );
  return [...sent, ['accept', form === 'none' ? String(ctx.req.headers.accept) : BOTH_FORMS]];
}

/** The library notes the faults of clients too: those are answered, and are nothing to report. */
const isOwnFault = (status: number, answer: string): boolean =>
  status >= SERVER_ERROR || answer.includes(INTERNAL_ERROR);

const EVENT_STREAM = 'text/event-stream';
const DATA = /^data: (.+)$/gm;

/** The message of an event stream that has one, as each answer of this server has; else null. */
function onlyMessage(events: string): string | null {
  const [message, ...others] = [...events.matchAll(DATA)].map(([, data]) => data);
  return message !== undefined && others.length === 0 ? message : null;
}

const methodOf = (message: unknown): unknown => (message as { readonly method?: unknown } | null)?.method;

const paramsOf = (message: unknown): unknown => (message as { readonly params?: unknown } | null)?.params;

/** What the library would accept, and this service does not: it keeps no stream open, and does not multiply work. */
function faultOf(message: unknown): { readonly code: number; readonly message: string } | null {
  if (Array.isArray(message))
    return {
      code: INVALID_REQUEST,
      message: 'A batch is not supported. Send each message in a request of its own.',
    };
  if (methodOf(message) !== 'subscriptions/listen') return null;
  const text = 'This server sends no notifications. To follow a market, call the tool `watch_market`.';
  return { code: METHOD_NOT_FOUND, message: text };
}

const idOf = (message: unknown): string | number | null => {
  const id = (message as { readonly id?: unknown } | null)?.id;
  return typeof id === 'string' || typeof id === 'number' ? id : null;
};

function refuse(ctx: Context, code: number, message: string, id: string | number | null = null): void {
  ctx.status = code === METHOD_NOT_FOUND ? 404 : 400;
  ctx.body = { jsonrpc: '2.0', id, error: { code, message } };
}
