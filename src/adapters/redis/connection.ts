import { setTimeout } from 'node:timers/promises';
import { ErrorReply } from 'redis';
import { NotNow, Unavailable } from '../../application/unavailable.js';
import { redisServers } from '../../domain/redis-urls.js';
import { keySlot } from './key-slot.js';
import { findLayout, isSameLayout, keyOnEach, type Layout, WrongRedisUrl } from './layout.js';
import { LivenessMonitor } from './liveness.js';
import { RedisNode } from './node.js';
import { type Script, script } from './script.js';
import { isSplit, onceTogether } from './split-keys.js';
import { Subscriber } from './subscriber.js';

/** How often the servers are asked which of them has which keys. */
const FOLLOW_EVERY_MS = 300;
/** The same until the first answer. */
const START_EVERY_MS = 20;
/** A server that does not answer such a question in this time is left out. */
const ASK_MS = 500;
/** The connections to the servers of a new layout have this time to open before it is used. */
const OPEN_MS = 500;
/** A script that was sent to a server that has the keys no more is sent again this many times. */
const MOVES_MAX = 2;
/** How long a connection that is opened again counts as the consequence of a refusal. */
const REOPENED_MS = 1_000;

/** The server of a key, and a key that it has. */
export type KeyServer = { readonly address: string; readonly key: string };
type Server = KeyServer & { readonly node: RedisNode | null };

/** Before the servers are known, and for a slot that no server has. */
const NO_SERVER: Server = { address: 'REDIS_URL', key: '', node: null };

/**
 * Redis: a single server, a cluster if there are several URLs, or the primary that Sentinel names. It connects in the background
 * and retries without end. Every error is thrown as `Unavailable`, because the service must also run without Redis.
 *
 * The client of each server is our own choice, and not that of the cluster and Sentinel clients of the library: these wait for
 * every node when one has failed, and send a script again that may have had its effect (T6).
 */
export class RedisConnection {
  /** Whether the keys of one script must be in one slot. */
  readonly isCluster: boolean;
  readonly #given: ReturnType<typeof redisServers>;
  readonly #nodes = new Map<string, RedisNode>();
  readonly #subscriber = new Subscriber();
  readonly #monitor = new LivenessMonitor(() => this.#connections());
  readonly #listeners: ((servers: readonly KeyServer[]) => void)[] = [];
  #layout: Layout | null = null;
  #servers: readonly Server[] = [NO_SERVER];
  #following: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  /** Why the servers are not known. */
  #lastFault: unknown;
  /** The last refusal after which the connection was opened again. */
  #refusal: { readonly fault: unknown; readonly at: number } | null = null;

  constructor(urls: readonly string[]) {
    this.#given = redisServers(urls);
    this.isCluster = this.#given.kind === 'cluster';
    if (this.#given.kind === 'server') {
      const { url } = this.#given;
      this.#use({ servers: [url], serverOfSlot: null, asked: [] });
    }
  }

  /** The servers that have keys now, at least one. */
  get servers(): readonly KeyServer[] {
    return this.#servers;
  }

  /** Calls `listener` when other servers have the keys, or the same servers have others. */
  onMove(listener: (servers: readonly KeyServer[]) => void): void {
    this.#listeners.push(listener);
  }

  /** The server that has the keys of a script. */
  serverOf(keys: readonly string[]): KeyServer {
    return this.#serverOf(keys);
  }

  /** Resolves when it is connected; the caller need not wait. Throws only `WrongRedisUrl`. */
  async start(): Promise<void> {
    if (this.#given.kind !== 'server') {
      this.#timer ??= setInterval(() => void this.#follow().catch(() => {}), FOLLOW_EVERY_MS).unref();
      while (this.#layout === null && !this.#isClosed) {
        await this.#follow().catch(throwIfWrong);
        if (this.#layout === null) await setTimeout(START_EVERY_MS, undefined, { ref: false });
      }
    }
    await Promise.all(this.#servers.map(({ node }) => node?.open()));
  }

  async run(of: Script, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown> {
    let server = this.#serverOf(keys);
    for (let moves = 0; ; moves += 1) {
      try {
        const { node } = server;
        if (node === null) throw this.#lastFault;
        return await onceTogether(() => node.run(of, keys, args));
      } catch (fault) {
        if (isAsk(fault)) return this.#runAt(addressIn(fault), of, keys, args);
        if (!isMoved(fault) || moves >= MOVES_MAX || !this.isCluster)
          throw this.#unavailable(fault, server.node);
        await this.#follow().catch(() => {});
        server = this.#serverOf(keys);
      }
    }
  }

  /** Resolves when every server with keys answers. */
  async ping(): Promise<void> {
    await Promise.all(this.#servers.map(({ key }) => this.run(PING, [key], [])));
  }

  /** Resolves when these servers take a write; by default every server with keys. */
  async write(servers: readonly KeyServer[] = this.#servers): Promise<void> {
    await Promise.all(servers.map(({ key }) => this.run(WRITE, [key], [])));
  }

  async publish(channel: string, message: string): Promise<void> {
    const nodes = this.#servers.flatMap(({ node }) => node ?? []);
    const node = nodes.find(({ connection }) => this.#monitor.isAnswering(connection)) ?? nodes[0];
    try {
      if (node === undefined) throw this.#lastFault;
      await node.connection.publish(channel, message);
    } catch (fault) {
      throw this.#unavailable(fault, node ?? null);
    }
  }

  /** Resolves when the subscription is active. It is renewed after each lost connection. */
  async subscribe(channel: string, listener: (message: string) => void): Promise<void> {
    while (this.#layout === null && !this.#isClosed)
      await setTimeout(FOLLOW_EVERY_MS, undefined, { ref: false });
    const [url] = this.#layout?.servers ?? [];
    if (url !== undefined) await this.#subscriber.add({ channel, listener }, url);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    this.#monitor.stop();
    this.#subscriber.close();
    for (const node of this.#nodes.values()) node.close();
  }

  *#connections() {
    for (const { connection } of this.#nodes.values()) yield connection;
    if (this.#subscriber.node !== null) yield this.#subscriber.node.connection;
  }

  #serverOf(keys: readonly string[]): Server {
    const serverOfSlot = this.#layout?.serverOfSlot ?? null;
    return (
      this.#servers[serverOfSlot === null ? 0 : (serverOfSlot[keySlot(keys[0] ?? '')] ?? -1)] ?? NO_SERVER
    );
  }

  /** The slot is being moved, and these keys are on the other server already. */
  async #runAt(address: string, ...[of, keys, args]: Parameters<RedisConnection['run']>): Promise<unknown> {
    const node = this.#servers.find((server) => server.address === address)?.node;
    if (node === undefined || node === null)
      throw new NotNow('Redis', new Error(`the keys move to ${address}`));
    try {
      return await node.run(of, keys, args, { isAsking: true });
    } catch (fault) {
      throw this.#unavailable(fault, node);
    }
  }

  /** `NotNow` while the keys of a script are on two servers, because a slot is being moved: the server answers. */
  #unavailable(fault: unknown, node: RedisNode | null): Unavailable {
    if (isSplit(fault)) return new NotNow('Redis', fault);
    if (isFromReplica(fault)) {
      this.#refusal = { fault, at: performance.now() };
      // The name may lead to the new primary by now. Sentinel and a cluster tell where it is.
      if (this.#given.kind === 'server') this.#monitor.reopen();
      else void this.#follow().catch(() => {});
    }
    return new Unavailable('Redis', this.#causeOf(fault, node));
  }

  /** Calls that fail because the connection is opened again name the refusal that was the reason. */
  #causeOf(fault: unknown, node: RedisNode | null): unknown {
    if (fault instanceof ErrorReply || node === null) return fault;
    const isReopened = this.#refusal !== null && performance.now() - this.#refusal.at < REOPENED_MS;
    return isReopened ? this.#refusal?.fault : node.causeOf(fault);
  }

  /** Asks which servers have the keys, and uses them. */
  #follow(): Promise<void> {
    this.#following ??= this.#findServers().finally(() => {
      this.#following = undefined;
    });
    return this.#following;
  }

  async #findServers(): Promise<void> {
    if (this.#given.kind === 'server') return;
    try {
      const found = await findLayout(this.#given, this.#layout, (url, ...command) => this.#ask(url, command));
      const isNew = this.#layout === null || !isSameLayout(found, this.#layout);
      if (isNew) {
        const opening = found.servers.map((url) => this.#nodeAt(url).open());
        await Promise.race([Promise.all(opening), setTimeout(OPEN_MS, undefined, { ref: false })]);
      }
      if (isNew && !this.#isClosed) this.#use(found);
      this.#followSubscriptions();
    } catch (fault) {
      this.#lastFault = fault;
      throw fault;
    }
  }

  async #ask(url: string, command: readonly string[]): Promise<unknown> {
    const node = this.#nodeAt(url);
    void node.open();
    const late = setTimeout(ASK_MS, undefined, { ref: false }).then(() => {
      throw new Error(`${node.address} does not answer`);
    });
    try {
      return await Promise.race([node.connection.sendCommand(command), late]);
    } catch (fault) {
      throw node.causeOf(fault);
    }
  }

  #nodeAt(url: string): RedisNode {
    const node = this.#nodes.get(url) ?? new RedisNode(url);
    this.#nodes.set(url, node);
    return node;
  }

  #use(layout: Layout): void {
    const keys = keyOnEach(layout);
    this.#layout = layout;
    this.#servers = layout.servers.map((url, i) => {
      const node = this.#nodeAt(url);
      return { node, address: node.address, key: keys[i] ?? '' };
    });
    const used = new Set([...layout.servers, ...layout.asked]);
    for (const [url, node] of this.#nodes)
      if (!used.has(url)) {
        node.close();
        this.#nodes.delete(url);
      }
    for (const listener of this.#listeners) listener(this.#servers);
  }

  /** Subscribes elsewhere if the server of the subscriptions has no keys any more, or does not answer, and another one does. */
  #followSubscriptions(): void {
    const { node } = this.#subscriber;
    if (node === null) return;
    const others = this.#servers.filter((server) => server.node?.url !== node.url);
    const isAnswering = (each: RedisNode | null) =>
      each !== null && this.#monitor.isAnswering(each.connection);
    const other = others.find((server) => isAnswering(server.node))?.node;
    const isLost = others.length === this.#servers.length || !isAnswering(node);
    if (isLost && other !== undefined && other !== null) void this.#subscriber.move(other.url);
  }
}

const PING = script("return redis.call('EXISTS', KEYS[1])");
/** Writes a key, and deletes it. */
const WRITE = script(`
redis.call('SET', KEYS[1], '1', 'PX', 1000)
return redis.call('DEL', KEYS[1])`);

function throwIfWrong(fault: unknown): void {
  if (fault instanceof WrongRedisUrl) throw fault;
}

const startsWith =
  (code: string) =>
  (fault: unknown): boolean =>
    fault instanceof ErrorReply && fault.message.startsWith(code);
/** The server is a replica: a failover has moved its role to another server, or the URL names the wrong one. */
const isFromReplica = startsWith('READONLY');
const isMoved = startsWith('MOVED ');
const isAsk = startsWith('ASK ');

/** The address at the end of a redirection. */
const addressIn = (fault: unknown): string =>
  String((fault as Error).message)
    .split(' ')
    .at(-1) ?? '';
