import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import Koa from 'koa';
import sinon from 'sinon';
import type { Context, State } from '../../../src/adapters/http/state.js';
import type { ReadFeed } from '../../../src/application/feed/read-feed.js';
import { Unavailable } from '../../../src/application/unavailable.js';
import type { Parts, Replacement } from '../../../src/composition/compose.js';
import type { Environment } from '../../../src/settings/environment.js';
import { composed, keyHolder, publish, signal } from './composed.js';

/** A Koa context without a connection, for functions that only read the request. */
export function bareContext(parts: {
  readonly url?: string;
  /** Headers in order; a name may occur twice. */
  readonly headers?: readonly (readonly [name: string, value: string])[];
  readonly peer?: string;
}): Context {
  const socket = new Socket();
  Object.defineProperty(socket, 'remoteAddress', { value: parts.peer });
  const request = new IncomingMessage(socket);
  request.url = parts.url ?? '/pm/v2/news';
  request.method = 'GET';
  request.rawHeaders = (parts.headers ?? []).flat();
  const distinct: Record<string, string[]> = {};
  for (const [name, value] of parts.headers ?? []) {
    // Changed in place for speed: a hostile text makes thousands of headers.
    distinct[name.toLowerCase()] ??= [];
    distinct[name.toLowerCase()]?.push(value);
  }
  request.headersDistinct = distinct;
  request.headers = Object.fromEntries(Object.entries(distinct).map(([name, all]) => [name, all.join(', ')]));
  return new Koa<State>().createContext<State>(request, new ServerResponse(request)) as Context;
}

/** Counts the requests that reach the middleware; the listener answers the others itself. */
export function countMiddleware({ publicApi: app }: Parts): { requests: number } {
  const counted = { requests: 0 };
  const callback = app.callback.bind(app);
  sinon.replace(app, 'callback', () => {
    const handler = callback();
    return (request, response) => {
      counted.requests += 1;
      return handler(request, response);
    };
  });
  return counted;
}

/** A service with a key and some items; `byKoa` counts the requests that reach Koa. */
export async function newsService(
  ids: readonly string[],
  environment: Environment = {},
  ...replacements: readonly Replacement[]
) {
  let byKoa = { requests: 0 };
  const service = await composed(environment, ...replacements, (parts) => {
    byKoa = countMiddleware(parts);
    return {};
  });
  const holder = await keyHolder(service);
  await publish(service, ...ids);
  return { service, holder, byKoa };
}

/** A feed whose reads wait while `isHeld`, until `release` is called. */
export function blockedFeed(isHeld = false) {
  const [entered, released] = [signal(), signal()];
  const held = {
    isHeld,
    /** Resolves when a read waits. */
    entered: entered.sent,
    release: released.send,
    replace: ({ readFeed }: Pick<Parts, 'readFeed'>) => {
      const waiting: ReadFeed = async (query) => {
        if (held.isHeld) {
          entered.send();
          await released.sent;
        }
        return readFeed(query);
      };
      return { readFeed: () => waiting };
    },
  };
  return held;
}

/** A feed whose reads fail while `isAway`. */
export function failingFeed() {
  const failing = {
    isAway: false,
    replace: ({ readFeed }: Pick<Parts, 'readFeed'>) => {
      const reading: ReadFeed = (query) => {
        if (failing.isAway) throw new Unavailable('the store');
        return readFeed(query);
      };
      return { readFeed: () => reading };
    },
  };
  return failing;
}
