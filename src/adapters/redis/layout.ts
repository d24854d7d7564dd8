import { setTimeout } from 'node:timers/promises';
import { ErrorReply } from 'redis';
import { atAddress, type RedisServers } from '../../domain/redis-urls.js';
import { keySlot, SLOTS } from './key-slot.js';

/**
 * The servers that have the keys now. `serverOfSlot` has for each slot the index of its server, or -1; it is null if one server has
 * all keys. `asked` are the servers that know the next layout.
 */
export type Layout = {
  readonly servers: readonly string[];
  readonly serverOfSlot: Int16Array | null;
  readonly asked: readonly string[];
};

/** Sends a command to the server at a URL, and throws if it does not answer in time. */
export type Ask = (url: string, ...command: readonly string[]) => Promise<unknown>;

/** `REDIS_URL` names servers that cannot be used in this way, whatever happens. The message is for operators. */
export class WrongRedisUrl extends Error {
  override readonly name = 'WrongRedisUrl';
  readonly code = 'WRONG_URL';
}

type Several = Exclude<RedisServers, { readonly kind: 'server' }>;

/** Several servers are asked, because each may know less than the others: the answer of the newest epoch counts. */
type Answer = {
  readonly epoch: number;
  readonly servers: readonly string[];
  readonly slots: Int16Array | null;
};

/** After the first answer, the other servers have this long. */
const SETTLE_MS = 50;

/** Asks the servers of the last layout, and those of `REDIS_URL`, for the layout. Throws if none knows it. */
export async function findLayout(given: Several, last: Layout | null, ask: Ask): Promise<Layout> {
  const seeds = given.kind === 'cluster' ? given.urls : given.sentinels;
  const asked = [...new Set([...seeds, ...(last?.asked ?? [])])];
  const answerOf = given.kind === 'cluster' ? slotsOf : primaryOf(given);
  // One server without a cluster is enough to be wrong. A Sentinel may be new, and not know the name yet.
  const isWrong = given.kind === 'cluster' ? 'some' : 'every';
  const { servers, slots } = await newest(
    asked.map((url) => answerOf(url, ask)),
    isWrong,
  );
  return {
    servers,
    serverOfSlot: slots,
    asked: [...new Set([...seeds, ...(given.kind === 'cluster' ? servers : [])])],
  };
}

export const isSameLayout = (one: Layout, other: Layout): boolean =>
  one.servers.join() === other.servers.join() &&
  (one.serverOfSlot === null ||
    one.serverOfSlot.every((server, slot) => server === other.serverOfSlot?.[slot]));

async function newest(asking: readonly Promise<Answer>[], isWrong: 'some' | 'every'): Promise<Answer> {
  const answers: Answer[] = [];
  const noted = asking.map(async (each) => void answers.push(await each));
  try {
    await Promise.any(noted);
  } catch (fault) {
    const faults: readonly unknown[] = fault instanceof AggregateError ? fault.errors : [fault];
    const isOfUrl = (each: unknown) => each instanceof WrongRedisUrl;
    throw faults[isWrong](isOfUrl) ? faults.find(isOfUrl) : faults.find((each) => !isOfUrl(each));
  }
  await Promise.race([Promise.allSettled(noted), setTimeout(SETTLE_MS)]);
  return answers.reduce((best, answer) => (answer.epoch > best.epoch ? answer : best));
}

/** A range of slots with its master, and then its replicas: host, port, and more. */
type Range = readonly [
  from: number,
  to: number,
  master: readonly [host: unknown, port: number],
  ...unknown[],
];

async function slotsOf(url: string, ask: Ask): Promise<Answer> {
  const asking = [ask(url, 'CLUSTER', 'SLOTS'), ask(url, 'CLUSTER', 'INFO').catch(() => '')]; // Not every user may ask for INFO.
  const [ranges, info] = await Promise.all(asking).catch((fault: unknown) => {
    throw isWithoutCluster(fault) ? new WrongRedisUrl(withoutCluster(url)) : fault;
  });
  // A node that does not know its own address gives none: it is the one that was asked.
  const urlOf = ([, , [host, port]]: Range) => atAddress(url, String(host || new URL(url).hostname), port);
  const servers = [...new Set((ranges as readonly Range[]).map(urlOf))].sort();
  if (servers.length === 0) throw new Error(`${new URL(url).host} knows no node with slots`);
  const slots = new Int16Array(SLOTS).fill(-1);
  for (const range of ranges as readonly Range[])
    slots.fill(servers.indexOf(urlOf(range)), range[0], range[1] + 1);
  return { epoch: Number(/current_epoch:(\d+)/.exec(String(info))?.[1] ?? 0), servers, slots };
}

const isWithoutCluster = (fault: unknown): boolean =>
  fault instanceof ErrorReply && /cluster support disabled/i.test(fault.message);

const withoutCluster = (url: string): string =>
  `REDIS_URL has several URLs, but ${new URL(url).host} is not a node of a Redis Cluster: set only the URL of the primary, or set redis+sentinel://host,host2/name to follow it through Sentinel`;

const primaryOf =
  ({ name, primary, sentinels }: Extract<Several, { readonly kind: 'sentinel' }>) =>
  async (url: string, ask: Ask): Promise<Answer> => {
    const asking = [
      ask(url, 'SENTINEL', 'GET-MASTER-ADDR-BY-NAME', name),
      ask(url, 'SENTINEL', 'MASTER', name),
    ];
    const [address, facts] = await Promise.all(asking).catch((fault: unknown) => {
      throw isWithoutName(fault) ? new WrongRedisUrl(withoutName(name, sentinels)) : fault;
    });
    const [host = '', port = 0] = address as readonly string[];
    return {
      epoch: Number((facts as Readonly<Record<string, unknown>>)['config-epoch'] ?? 0),
      servers: [atAddress(primary, String(host), Number(port))],
      slots: null,
    };
  };

const isWithoutName = (fault: unknown): boolean =>
  fault instanceof ErrorReply && /no such master/i.test(fault.message);

const withoutName = (name: string, sentinels: readonly string[]): string =>
  `no Sentinel at ${sentinels.map((url) => new URL(url).host).join(', ')} knows the name ${JSON.stringify(name)} of REDIS_URL: set the name of “sentinel monitor” in their configuration`;

/** A key on each server, by its index. */
export function keyOnEach({ servers, serverOfSlot }: Layout): readonly string[] {
  const keys: string[] = [];
  const wanted = servers.filter((_, server) => serverOfSlot === null || serverOfSlot.includes(server)).length;
  for (let i = 0, found = 0; found < wanted; i += 1) {
    const key = `oddswire:probe:{${i}}`;
    const server = serverOfSlot === null ? 0 : (serverOfSlot[keySlot(key)] ?? -1);
    if (server < 0 || keys[server] !== undefined) continue;
    keys[server] = key;
    found += 1;
  }
  return keys;
}
