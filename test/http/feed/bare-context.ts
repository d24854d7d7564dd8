import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import Koa from 'koa';
import type { Context, State } from '../../../src/adapters/http/state.js';

/** What Koa makes of a request that nobody sent: for functions that only read it. */
export function bareContext(parts: {
  readonly url?: string;
  /** As they came: a name may stand there twice. */
  readonly headers?: readonly (readonly [name: string, value: string])[];
  readonly peer?: string;
}): Context {
  const socket = new Socket();
  Object.defineProperty(socket, 'remoteAddress', { value: parts.peer });
  const request = new IncomingMessage(socket);
  request.url = parts.url ?? '/pm/v2/news';
  request.method = 'GET';
  const distinct: Record<string, string[]> = {};
  for (const [name, value] of parts.headers ?? []) {
    distinct[name.toLowerCase()] = [...(distinct[name.toLowerCase()] ?? []), value];
  }
  request.headersDistinct = distinct;
  request.headers = Object.fromEntries(Object.entries(distinct).map(([name, all]) => [name, all.join(', ')]));
  return new Koa<State>().createContext<State>(request, new ServerResponse(request)) as Context;
}
