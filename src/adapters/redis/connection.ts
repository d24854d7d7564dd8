import { createHash } from 'node:crypto';
import { createClient, createCluster } from 'redis';
import { Unavailable } from '../../application/unavailable.js';

/** Of all connections (T6): a command that finds no connection fails at once, and none waits for ever. */
const OPTIONS = {
  disableOfflineQueue: true,
  commandsQueueMaxLength: 1_000,
  pingInterval: 400,
} as const;
const SOCKET = {
  connectTimeout: 500,
  socketTimeout: 1_000,
  /** Never gives up: 50 ms, twice as long each time up to half a second, a little apart from others. */
  reconnectStrategy: (retries: number) =>
    Math.min(50 * 2 ** Math.min(retries, 10), 500) * (0.8 + Math.random() * 0.4),
} as const;
const TRY_AGAIN_MS = 500;

/** A script by its text and its hash: the server keeps those it has seen. */
export type Script = { readonly text: string; readonly hash: string };
export const script = (text: string): Script => ({
  text,
  hash: createHash('sha1').update(text).digest('hex'),
});

type Eval = { readonly keys: string[]; readonly arguments: string[] };

/** What is asked of a single server and of a cluster alike. */
type Commands = {
  connect(): Promise<unknown>;
  destroy(): void;
  evalSha(hash: string, options: Eval): Promise<unknown>;
  eval(text: string, options: Eval): Promise<unknown>;
  publish(channel: string, message: string): Promise<unknown>;
  subscribe(channel: string, listener: (message: string) => void): Promise<unknown>;
};

/**
 * Redis, or a Redis Cluster when several nodes are named. It connects in the background and for as long
 * as it takes. Whatever goes wrong is `Unavailable`: nothing that the service does may fail for it.
 */
export class RedisConnection {
  readonly #commands: Commands;
  /** Subscribed connections can do nothing else. */
  readonly #subscriber: Commands;
  readonly #pinged: readonly string[];
  #isClosed = false;

  constructor(urls: readonly string[]) {
    const make = urls.length > 1 ? () => clusterOf(urls) : () => clientOf(urls[0] ?? '');
    this.#commands = make();
    this.#subscriber = make();
    this.#pinged = urls.length > 1 ? MANY_SLOTS : MANY_SLOTS.slice(0, 1);
  }

  /** Answers when it is connected; nobody has to wait for that. */
  start(): Promise<void> {
    return this.#keepTrying(() => this.#commands.connect());
  }

  async run(
    { text, hash }: Script,
    keys: readonly string[],
    args: readonly (string | number)[],
  ): Promise<unknown> {
    const options = { keys: [...keys], arguments: args.map(String) };
    return withErrorMapping(async () => {
      try {
        return await this.#commands.evalSha(hash, options);
      } catch (fault) {
        // A server that was restarted has forgotten it.
        if (!(fault instanceof Error && fault.message.startsWith('NOSCRIPT'))) throw fault;
        return this.#commands.eval(text, options);
      }
    });
  }

  /** Answers when it does: of a cluster, every node that has slots. */
  async ping(): Promise<void> {
    await Promise.all(this.#pinged.map((key) => this.run(PING, [key], [])));
  }

  async publish(channel: string, message: string): Promise<void> {
    await withErrorMapping(() => this.#commands.publish(channel, message));
  }

  /** Answers when what is published is heard; it is heard again after each time the connection was lost. */
  async subscribe(channel: string, listener: (message: string) => void): Promise<void> {
    await this.#keepTrying(() => this.#subscriber.connect());
    await this.#keepTrying(() => this.#subscriber.subscribe(channel, listener));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const commands of [this.#commands, this.#subscriber]) {
      try {
        commands.destroy();
      } catch {
        // It was never open.
      }
    }
  }

  /** A cluster that finds none of its nodes gives up, and a server may refuse at first: both are tried again. */
  async #keepTrying(attempt: () => Promise<unknown>): Promise<void> {
    while (!this.#isClosed) {
      try {
        await attempt();
        return;
      } catch {
        await new Promise((done) => setTimeout(done, TRY_AGAIN_MS).unref());
      }
    }
  }
}

/** Names enough to have one on each node of a cluster. */
const MANY_SLOTS = Array.from({ length: 48 }, (_, i) => `ping:${i}`);
const PING = script("return redis.call('exists', KEYS[1])");

async function withErrorMapping<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (fault) {
    throw new Unavailable('Redis', fault);
  }
}

function clientOf(url: string): Commands {
  const client = createClient({ url, ...OPTIONS, socket: SOCKET });
  client.on('error', () => {}); // Each command says so itself; without a listener it would end the process.
  return client as unknown as Commands;
}

function clusterOf(urls: readonly string[]): Commands {
  const { username, password, protocol } = new URL(urls[0] ?? '');
  const isSecure = protocol === 'rediss:';
  const cluster = createCluster({
    rootNodes: urls.map((url) => ({ url, ...OPTIONS, socket: SOCKET })),
    // Nodes that the cluster names itself have no address of ours to take these from.
    defaults: {
      ...OPTIONS,
      socket: isSecure ? { ...SOCKET, tls: true } : SOCKET,
      ...(username !== '' && { username: decodeURIComponent(username) }),
      ...(password !== '' && { password: decodeURIComponent(password) }),
    },
  });
  cluster.on('error', () => {});
  return cluster as unknown as Commands;
}
