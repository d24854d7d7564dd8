import { createHash } from 'node:crypto';
import { ClientClosedError, ClientOfflineError, createClient, createCluster, ErrorReply } from 'redis';
import { Unavailable } from '../../application/unavailable.js';
import { type Connection, LivenessMonitor } from './liveness.js';

/**
 * The options of all connections (T6). While there is no connection, a command fails at once. No command waits
 * permanently.
 */
const OPTIONS = {
  disableOfflineQueue: true,
  commandsQueueMaxLength: 1_000,
  // The timeout of the library ends only commands that are not sent yet, and creates an AbortSignal for each command.
  commandOptions: { timeout: 0 },
} as const;
const SOCKET = {
  connectTimeout: 500,
  /** Retries without end: after 50 ms, doubled up to 500 ms, with 20 % jitter. */
  reconnectStrategy: (retries: number) =>
    Math.min(50 * 2 ** Math.min(retries, 10), 500) * (0.8 + Math.random() * 0.4),
} as const;
/** For the connections that only ask a node for the nodes of the cluster. Nothing else can observe them. */
const ROOT_SOCKET = { ...SOCKET, socketTimeout: 1_000 } as const;
/**
 * For the connections to the nodes. `LivenessMonitor` gives them up sooner once they are ready. This limits later attempts to
 * connect, and such questions to a known node. It is long, because a pause of this process of this time closes all (T17).
 */
const NODE_SOCKET = { ...SOCKET, socketTimeout: 5_000 } as const;
const RETRY_EVERY_MS = 500;
/** How long a connection that is opened again counts as the consequence of a refusal. */
const REOPENED_MS = 1_000;

/** A Lua script with its SHA-1. The server caches scripts, so usually only the hash is sent. */
export type Script = { readonly text: string; readonly hash: string };
export const script = (text: string): Script => ({
  text,
  hash: createHash('sha1').update(text).digest('hex'),
});

type Eval = { readonly keys: string[]; readonly arguments: string[] };

/** The commands that a single server and a cluster have in common. */
type Commands = {
  readonly isReady: boolean;
  connect(): Promise<unknown>;
  destroy(): void;
  evalSha(hash: string, options: Eval): Promise<unknown>;
  eval(text: string, options: Eval): Promise<unknown>;
  publish(channel: string, message: string): Promise<unknown>;
  subscribe(channel: string, listener: (message: string) => void): Promise<unknown>;
};

/**
 * Redis, or a Redis Cluster if there are several URLs. It connects in the background and retries without end. Every
 * error is thrown as `Unavailable`, because the service must also run without Redis.
 */
export class RedisConnection {
  /** Whether the keys of one script must be in one slot. */
  readonly isCluster: boolean;
  /** A key on the server; for a cluster, at least one on each node. */
  readonly nodeKeys: readonly string[];
  readonly #commands: Commands;
  /** Separate, because a subscribed connection accepts no other commands. */
  readonly #subscriber: Commands;
  readonly #monitor: LivenessMonitor;
  /** Shared by all subscriptions: a connection that is being opened refuses a second attempt. */
  #subscriberOpened: Promise<void> | undefined;
  #isClosed = false;
  /** The last error of a connection. A command without a connection only reports that there is none. */
  #lastFault: unknown;
  /** The last refusal after which the connection was opened again. */
  #refusal: { readonly fault: unknown; readonly at: number } | null = null;

  constructor(urls: readonly string[]) {
    const onFault = (fault: unknown) => this.#noteFault(fault);
    this.isCluster = urls.length > 1;
    if (this.isCluster) {
      const clusters = [clusterOf(urls, onFault), clusterOf(urls, onFault)] as const;
      [this.#commands, this.#subscriber] = clusters;
      this.#monitor = new LivenessMonitor(() => clusters.flatMap(connectionsOf), 'cluster');
    } else {
      const clients = [clientOf(urls, onFault), clientOf(urls, onFault)] as const;
      [this.#commands, this.#subscriber] = clients;
      this.#monitor = new LivenessMonitor(() => clients, 'caller');
    }
    this.nodeKeys = this.isCluster ? MANY_SLOTS : MANY_SLOTS.slice(0, 1);
  }

  /** Resolves when it is connected. The caller need not wait. */
  start(): Promise<void> {
    return this.#open(this.#commands);
  }

  async run(
    { text, hash }: Script,
    keys: readonly string[],
    args: readonly (string | number)[],
  ): Promise<unknown> {
    const options = { keys: [...keys], arguments: args.map(String) };
    return this.#withErrorMapping(async () => {
      try {
        return await this.#commands.evalSha(hash, options);
      } catch (fault) {
        // A restarted server does not have the script in its cache.
        if (!(fault instanceof Error && fault.message.startsWith('NOSCRIPT'))) throw fault;
        return this.#commands.eval(text, options);
      }
    });
  }

  /** Resolves when the server answers; for a cluster, when every node with slots answers. */
  async ping(): Promise<void> {
    await Promise.all(this.nodeKeys.map((key) => this.run(PING, [key], [])));
  }

  /** Resolves when the server takes a write; for a cluster, when every node with slots does. */
  async write(): Promise<void> {
    await Promise.all(this.nodeKeys.map((key) => this.run(WRITE, [key], [])));
  }

  async publish(channel: string, message: string): Promise<void> {
    await this.#withErrorMapping(() => this.#commands.publish(channel, message));
  }

  /** Resolves when the subscription is active. It is renewed after each lost connection. */
  async subscribe(channel: string, listener: (message: string) => void): Promise<void> {
    this.#subscriberOpened ??= this.#open(this.#subscriber);
    await this.#subscriberOpened;
    await this.#retryUntilAvailable(() => this.#subscriber.subscribe(channel, listener));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#monitor.stop();
    for (const commands of [this.#commands, this.#subscriber]) {
      try {
        commands.destroy();
      } catch {
        // The connection was never open.
      }
    }
  }

  #noteFault(fault: unknown): void {
    this.#lastFault = fault;
  }

  async #withErrorMapping<T>(command: () => Promise<T>): Promise<T> {
    try {
      return await command();
    } catch (fault) {
      // The name may lead to the new primary by now. A cluster sends its clients there itself.
      if (!this.isCluster && isFromReplica(fault)) {
        this.#refusal = { fault, at: performance.now() };
        this.#monitor.reopen();
      }
      throw new Unavailable('Redis', this.#causeOf(fault));
    }
  }

  /** Calls that fail because the connection is opened again name the refusal that was the reason. */
  #causeOf(fault: unknown): unknown {
    if (fault instanceof ErrorReply) return fault;
    const isReopened = this.#refusal !== null && performance.now() - this.#refusal.at < REOPENED_MS;
    if (isReopened) return this.#refusal?.fault;
    return isWithoutConnection(fault) ? (this.#lastFault ?? fault) : fault;
  }

  #open(commands: Commands): Promise<void> {
    return this.#retryUntilAvailable(async () => {
      // It may be open already, because it was given up during the first attempt and opened again.
      if (!commands.isReady) await commands.connect();
    });
  }

  /**
   * Retries, because the cluster client stops when no node answers, and because a server may refuse the first attempts.
   */
  async #retryUntilAvailable(attempt: () => Promise<unknown>): Promise<void> {
    while (!this.#isClosed) {
      try {
        await attempt();
        return;
      } catch (fault) {
        this.#noteFault(fault);
        await new Promise((done) => setTimeout(done, RETRY_EVERY_MS).unref());
      }
    }
  }
}

/** Enough keys to have one on each node of a cluster. */
const MANY_SLOTS = Array.from({ length: 48 }, (_, i) => `oddswire:probe:{${i}}`);
const PING = script("return redis.call('EXISTS', KEYS[1])");
/** Writes a key, and deletes it. */
const WRITE = script(`
redis.call('SET', KEYS[1], '1', 'PX', 1000)
return redis.call('DEL', KEYS[1])`);

/** The server is a replica: a failover has moved its role to another server, or the URL names the wrong one. */
const isFromReplica = (fault: unknown): boolean =>
  fault instanceof ErrorReply && fault.message.startsWith('READONLY');

const isWithoutConnection = (fault: unknown): boolean =>
  fault instanceof ClientOfflineError || fault instanceof ClientClosedError;

/** The connections of a cluster: one to each node, and one to a node for the subscriptions. */
type ClusterNodes = {
  readonly nodeByAddress: ReadonlyMap<string, { readonly client?: Connection | undefined }>;
  readonly pubSubNode?: { readonly client: Connection } | undefined;
};

function connectionsOf({ nodeByAddress, pubSubNode }: ClusterNodes): readonly Connection[] {
  const connections = [...nodeByAddress.values()].flatMap(({ client }) => client ?? []);
  return pubSubNode === undefined ? connections : [...connections, pubSubNode.client];
}

function clientOf([url = '']: readonly string[], onFault: (fault: unknown) => void): Commands & Connection {
  const client = createClient({ url, ...OPTIONS, socket: SOCKET });
  client.on('error', onFault); // Each command throws its own error. Without a listener the event would end the process.
  return client as unknown as Commands & Connection;
}

function clusterOf(urls: readonly string[], onFault: (fault: unknown) => void): Commands & ClusterNodes {
  const { username, password, protocol } = new URL(urls[0] ?? '');
  const isSecure = protocol === 'rediss:';
  const { commandOptions } = OPTIONS;
  const cluster = createCluster({
    commandOptions,
    rootNodes: urls.map((url) => ({ url, ...OPTIONS, socket: ROOT_SOCKET })),
    // For nodes that the cluster announces, because their addresses do not contain TLS and credentials.
    defaults: {
      ...OPTIONS,
      socket: isSecure ? { ...NODE_SOCKET, tls: true } : NODE_SOCKET,
      ...(username !== '' && { username: decodeURIComponent(username) }),
      ...(password !== '' && { password: decodeURIComponent(password) }),
    },
  });
  for (const event of ['error', 'node-error']) cluster.on(event, onFault);
  return cluster as unknown as Commands & ClusterNodes;
}
