import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** `silent`: nothing gets through. `deaf`: the server gets what it is sent, and its answers are lost. */
export type LinkState = 'open' | 'silent' | 'deaf';

/**
 * The network between one instance and a server: a TCP proxy. While it is not open, its connections stay open, as in a partition,
 * and what was sent arrives afterwards.
 */
export type Link = {
  /** The URL of the server through the link. */
  readonly url: string;
  /** Its connections now. */
  readonly connections: () => number;
  readonly set: (state: LinkState) => void;
  /** Delays each answer, in milliseconds. */
  readonly delay: (ms: number) => void;
  /** Closes the connections. */
  readonly cut: () => void;
  /** The longest time in milliseconds that anything sent since `from` (of `performance.now`) waited for an answer. */
  readonly longestWaitMs: (from: number) => number;
  readonly stop: () => Promise<void>;
};

/** Shorter waits are not noted. */
const NOTED_MS = 50;

type Pair = {
  readonly client: Socket;
  readonly server: Socket;
  /** When the client sent what has no answer yet. */
  askedAt: number | null;
  /** What the server sent, with the times to pass it on. It keeps its order, also if the delay changes. */
  readonly delayed: { readonly bytes: Buffer; readonly dueAt: number }[];
};

/** Passes on what is due, and the rest later. */
function passOn(pair: Pair): void {
  for (let [next] = pair.delayed; next !== undefined; [next] = pair.delayed) {
    const leftMs = next.dueAt - performance.now();
    if (leftMs > 0) return void setTimeout(() => passOn(pair), Math.ceil(leftMs));
    pair.delayed.shift();
    pair.client.write(next.bytes);
  }
}

export async function startLink(serverUrl: string): Promise<Link> {
  const target = new URL(serverUrl);
  let state: LinkState = 'open';
  let delayMs = 0;
  const pairs = new Set<Pair>();
  const waits: { readonly until: number; readonly ms: number }[] = [];
  const hold = ({ client, server }: Pair) => {
    if (state === 'silent') client.pause();
    else client.resume();
    if (state === 'open') server.resume();
    else server.pause();
  };
  const answered = (pair: Pair) => {
    const now = performance.now();
    const ms = now - (pair.askedAt ?? now);
    if (ms > NOTED_MS) waits.push({ until: now, ms });
    pair.askedAt = null;
  };
  const proxy = createServer((client) => {
    const server = connect(Number(target.port), target.hostname);
    const pair: Pair = { client, server, askedAt: null, delayed: [] };
    pairs.add(pair);
    const destroy = () => {
      client.destroy();
      server.destroy();
      pairs.delete(pair);
    };
    for (const socket of [client, server]) socket.setNoDelay().on('error', destroy).on('close', destroy);
    // A paused socket does not report its end: while the link is silent, a side does not notice that the other one is gone.
    client.on('data', (bytes) => {
      pair.askedAt ??= performance.now();
      server.write(bytes);
    });
    server.on('data', (bytes) => {
      answered(pair);
      pair.delayed.push({ bytes, dueAt: performance.now() + delayMs });
      passOn(pair);
    });
    hold(pair);
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  const url = new URL(serverUrl);
  url.hostname = '127.0.0.1';
  url.port = String((proxy.address() as AddressInfo).port);
  const cut = () => {
    for (const { client, server } of pairs) {
      client.destroy();
      server.destroy();
    }
  };
  return {
    url: url.href,
    connections: () => pairs.size,
    set: (to) => {
      state = to;
      for (const pair of pairs) hold(pair);
    },
    delay: (ms) => {
      delayMs = ms;
    },
    cut,
    longestWaitMs: (from) => {
      const now = performance.now();
      const open = [...pairs].map(({ askedAt }) => (askedAt === null ? 0 : now - askedAt));
      const ended = waits.filter(({ until }) => until >= from).map(({ ms }) => ms);
      return Math.max(0, ...open, ...ended);
    },
    stop: async () => {
      cut();
      proxy.close();
      await once(proxy, 'close');
    },
  };
}
