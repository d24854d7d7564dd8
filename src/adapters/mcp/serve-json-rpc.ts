import { parseJson } from '../http/answer/body.js';
import type { ReportFault } from '../http/answer/faults.js';
import type { Context } from '../http/state.js';
import type { CallApi } from './api.js';
import { toolServers } from './tool-server.js';

/** The request headers that the library reads. It never gets the key. */
const PASSED = /^(?:accept|content-type|last-event-id|mcp-.+)$/;

/** Error codes of JSON-RPC 2.0. */
const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;
const METHOD_NOT_FOUND = -32_601;

type Serving = { readonly version: string; readonly report: ReportFault };

/** The library, loaded at the first call: it needs 130 ms and 25 MB, which a service without agents saves. */
async function loadServing(version: string) {
  const library = await import('@modelcontextprotocol/server');
  return { library, toolServer: toolServers(library, version) };
}

/** Answers one message of JSON-RPC. All messages of a client are independent of each other. */
export function serveJsonRpc({ version, report }: Serving) {
  let loading: ReturnType<typeof loadServing> | null = null;
  return async function serve(ctx: Context, body: Buffer, callApi: CallApi): Promise<void> {
    const parsed = parseJson(body);
    if ('refused' in parsed) return refuse(ctx, PARSE_ERROR, 'The body is not valid JSON.');
    const fault = faultOf(parsed.json);
    if (fault !== null) return refuse(ctx, fault.code, fault.message, idOf(parsed.json));
    loading ??= loadServing(version);
    const { library, toolServer } = await loading;
    const { requestId } = ctx.state;
    const agent = { callApi, requestId, report: (thrown: unknown) => report(thrown, requestId) };
    // With `responseMode: 'json'`, the library would write a warning to standard error for each handler.
    const handler = library.createMcpHandler(() => toolServer(agent), {
      keepAliveMs: 0,
      onerror: agent.report,
    });
    const headers = Object.entries(ctx.req.headers).flatMap(([name, value]): [string, string][] =>
      PASSED.test(name) ? [[name, String(value)]] : [],
    );
    const request = new Request('http://localhost/mcp', { method: 'POST', headers });
    const response = await handler.fetch(request, { parsedBody: parsed.json });
    // The answer is complete when the tool has ended, also as an event stream. Its headers need the limits of then.
    const answer = Buffer.from(await response.arrayBuffer());
    ctx.body = answer.length === 0 ? null : answer;
    ctx.status = response.status;
    const type = response.headers.get('content-type');
    if (type !== null) ctx.set('Content-Type', type);
  };
}

/** What the library would accept, and this service does not: it keeps no stream open, and does not multiply work. */
function faultOf(message: unknown): { readonly code: number; readonly message: string } | null {
  if (Array.isArray(message))
    return {
      code: INVALID_REQUEST,
      message: 'A batch is not supported. Send each message in a request of its own.',
    };
  if ((message as { readonly method?: unknown } | null)?.method !== 'subscriptions/listen') return null;
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
