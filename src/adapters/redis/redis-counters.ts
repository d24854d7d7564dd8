import type { Counters, Taken } from '../../application/ports/limits/counters.js';
import { Unavailable } from '../../application/unavailable.js';
import type { Permit } from '../../domain/limits/rate-limit.js';
import { type RedisConnection, script } from './connection.js';

/** Bounds the time for which one script occupies Redis: about 5 µs a call. */
const CALLS_PER_SCRIPT = 256;

/**
 * Runs calls one after the other, each atomically: it increments all its counters or none (T14), or decrements them, but
 * not below zero, and ignores expired counters (D34).
 *
 * Arguments of each call: the number of its counters, the permits to take, the permits to give back, then capacity and
 * lifetime of each counter. Results of each call: the permits granted, then the counts. A call that fails has no effect on
 * the others; its only result is the text of its error.
 */
const COUNT = script(`
local results, keys, args = {}, 0, 0

local function count(size)
  local granted, back, counts = tonumber(ARGV[args + 2]), tonumber(ARGV[args + 3]), {}
  for i = 1, size do
    counts[i] = tonumber(redis.call('GET', KEYS[keys + i]) or '0')
    granted = math.max(0, math.min(granted, tonumber(ARGV[args + 2 * i + 2]) - counts[i]))
  end
  for i = 1, size do
    local key, before = KEYS[keys + i], counts[i]
    if granted > 0 then
      counts[i] = redis.call('INCRBY', key, granted)
      if redis.call('TTL', key) < 0 then redis.call('EXPIRE', key, ARGV[args + 2 * i + 3]) end
    elseif back > 0 and before > 0 then
      redis.call('DECRBY', key, math.min(before, back))
    end
  end
  results[#results + 1] = granted
  for i = 1, size do results[#results + 1] = counts[i] end
end

while args < #ARGV do
  local size = tonumber(ARGV[args + 1])
  local isDone, fault = pcall(count, size)
  if not isDone then results[#results + 1] = type(fault) == 'table' and fault.err or tostring(fault) end
  keys, args = keys + size, args + 2 * size + 3
end
return results`);

const PREFIX = 'oddswire:';

type Call = {
  readonly permits: readonly Permit[];
  readonly taken: number;
  readonly givenBack: number;
  readonly done: (taken: Taken) => void;
  readonly fail: (fault: unknown) => void;
};

/**
 * Counters shared by all instances. The counter names of one call have the same hash tag (in braces), so that a cluster
 * keeps them on one node, where one script can reach them all.
 *
 * On a single server, the calls of one turn of the event loop run in one script, because most of the cost is the cost of a
 * command, in this process and in Redis. On a cluster, each call is one command, because the keys of a script must be in
 * one slot; the client sends the commands of one turn to a node in one write.
 */
export class RedisCounters implements Counters {
  readonly #redis: RedisConnection;
  readonly #callsPerScript: number;
  /** The calls of this turn that are not sent yet, in the order in which they were made. */
  #waiting: Call[] = [];

  constructor(redis: RedisConnection) {
    this.#redis = redis;
    this.#callsPerScript = redis.isCluster ? 1 : CALLS_PER_SCRIPT;
  }

  take(permits: readonly Permit[], upTo: number): Promise<Taken> {
    return this.#call(permits, upTo, 0);
  }

  async giveBack(permits: readonly Permit[], n: number): Promise<void> {
    await this.#call(permits, 0, n);
  }

  #call(permits: readonly Permit[], taken: number, givenBack: number): Promise<Taken> {
    return new Promise((done, fail) => {
      this.#waiting.push({ permits, taken, givenBack, done, fail });
      // After all input of this turn is read: earlier, each request would be sent alone.
      if (this.#waiting.length === 1) setImmediate(() => this.#send());
    });
  }

  #send(): void {
    const calls = this.#waiting;
    this.#waiting = [];
    for (let i = 0; i < calls.length; i += this.#callsPerScript) {
      void this.#run(calls.slice(i, i + this.#callsPerScript));
    }
  }

  /** Settles every call. If the script fails, every call fails: some may have had their effect (D34). */
  async #run(calls: readonly Call[]): Promise<void> {
    const names = calls.flatMap(({ permits }) => permits.map(({ counter }) => `${PREFIX}${counter}`));
    try {
      settle(calls, (await this.#redis.run(COUNT, names, calls.flatMap(argumentsOf))) as Results);
    } catch (fault) {
      for (const { fail } of calls) fail(fault);
    }
  }
}

const argumentsOf = ({ permits, taken, givenBack }: Call): readonly number[] => [
  permits.length,
  taken,
  givenBack,
  ...permits.flatMap(({ capacity, lifetimeSeconds }) => [capacity, lifetimeSeconds]),
];

type Results = readonly (number | string)[];

function settle(calls: readonly Call[], results: Results): void {
  let i = 0;
  for (const { permits, done, fail } of calls) {
    const granted = results[i];
    i += 1;
    if (typeof granted === 'number') {
      done({ granted, counts: results.slice(i, i + permits.length) as number[] });
      i += permits.length;
    } else fail(new Unavailable('Redis', new Error(granted)));
  }
}
