import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Answers a request in the place of the service. */
export type Fault = (response: ServerResponse, asked: IncomingMessage) => void;

export type FaultyProxy = {
  readonly url: string;
  /** The paths with queries of all requests, with the form that they accept. */
  readonly requests: readonly string[];
  /** The next requests get these faults, one each; later ones are forwarded. */
  readonly fail: (...faults: readonly Fault[]) => void;
  /** Every request gets the fault that this returns; null forwards it. */
  readonly failAll: (choose: ((asked: IncomingMessage) => Fault | null) | null) => void;
  readonly redirect: (serviceUrl: string) => void;
  readonly stop: () => Promise<void>;
};

/** A status with headers, as a gateway answers. */
export const status =
  (code: number, headers: Readonly<Record<string, string>> = {}, body = 'a page of a gateway'): Fault =>
  (response) =>
    response.writeHead(code, headers).end(body);

/** The answer of an instance of an earlier version, which ignores a parameter and has no headers for it. */
export const ignoring =
  (serviceUrl: string, parameter: string): Fault =>
  (response, asked) => {
    const url = new URL(serviceUrl + asked.url);
    url.searchParams.delete(parameter);
    forwardTo(url.href, response, asked);
  };

function forwardTo(url: string, response: ServerResponse, asked: IncomingMessage): void {
  const outgoing = request(url, { method: asked.method ?? 'GET', headers: asked.headers });
  outgoing.on('response', (incoming) => {
    response.writeHead(incoming.statusCode ?? 502, incoming.headers);
    incoming.pipe(response);
    incoming.on('error', () => response.destroy());
  });
  outgoing.on('error', () => response.destroy());
  response.on('close', () => outgoing.destroy());
  outgoing.end();
}

/** An HTTP proxy that answers requests itself, on demand. */
export async function startFaultyProxy(serviceUrl: string): Promise<FaultyProxy> {
  let target = serviceUrl;
  let faults: readonly Fault[] = [];
  let choose: ((asked: IncomingMessage) => Fault | null) | null = null;
  const requests: string[] = [];
  const forward: Fault = (response, asked) => forwardTo(target + asked.url, response, asked);
  const server = createServer((asked, response) => {
    requests.push(`${asked.headers.accept} ${asked.url}`);
    const [next, ...others] = faults;
    faults = others;
    (next ?? choose?.(asked) ?? forward)(response, asked);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    fail: (...next) => {
      faults = [...faults, ...next];
    },
    failAll: (chosen) => {
      choose = chosen;
    },
    redirect: (url) => {
      target = url;
    },
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
