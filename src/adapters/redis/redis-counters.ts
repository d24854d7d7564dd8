import type { Counters, RaiseCounts, Receipt, Taken } from '../../application/ports/limits/counters.js';
import { Unavailable } from '../../application/unavailable.js';
import type { Permit } from '../../domain/limits/rate-limit.js';
import type { RedisConnection } from './connection.js';
import { script } from './script.js';

/** Bounds the time for which one script occupies Redis: about 5 µs a call. */
const CALLS_PER_SCRIPT = 256;

/**
 * Runs calls one after the other, each atomically: it increments all its counters or none (T14), or decrements them, but
 * not below zero, and ignores expired counters (D34).
 *
 * The keys are the counters of all calls. Arguments of each group of calls: the number of its calls; the number of counters
 * of each call, the permits to take, the permits to give back; then capacity and lifetime of each counter. Results of each
 * call: the permits granted, then the counts; the count of a counter that the call has created is negative. A call that fails has
 * no effect on the others; its only result is the text of its error. If the server takes no writes, the script fails instead, so
 * that the breaker counts it.
 *
 * Nearly every call is granted all that it wants, so it increments first, and undoes the excess. After a counter
 * without a free permit, the others are only read.
 */
const COUNT = script(`
local call, pcall, KEYS, ARGV = redis.call, pcall, KEYS, ARGV
local results, capacities, last, key, at, taken = {}, {}, 0, 0, 0, 0

-- OOM, READONLY, MISCONF and the like: the server takes no writes. ERR and WRONGTYPE are faults of one counter.
local function isOfServer(fault)
  local code = string.match(fault, '^(%u+) ')
  return code and code ~= 'ERR' and code ~= 'WRONGTYPE'
end

-- A counter that this call has not created stays, also with 0: otherwise the next call would create it again.
local function takeBack(name, n, stored, isCreated)
  if n < stored or not isCreated then return call('DECRBY', name, n) end
  call('DEL', name)
  return 0
end

local function count(size, take, wanted, back)
  local granted, stored, created = wanted, {}, nil
  taken = 0
  for i = 1, size do
    local name = KEYS[key + i]
    if granted > 0 then
      stored[i] = call('INCRBY', name, take)
      taken = i
      if stored[i] == wanted and call('TTL', name) < 0 then
        created = created or {}
        created[i] = true
        call('EXPIRE', name, ARGV[at + 2 * i + 4])
      end
      local free = capacities[i] - stored[i] + wanted
      if free < granted then granted = free > 0 and free or 0 end
    else
      stored[i] = (call('GET', name) or 0) + 0 -- Fails for a text that is no number.
    end
  end
  if back > 0 then
    for i = 1, size do
      if stored[i] > 0 then call('DECRBY', KEYS[key + i], math.min(stored[i], back)) end
    end
  end
  if granted < wanted then
    for i = 1, taken do
      stored[i] = takeBack(KEYS[key + i], wanted - granted, stored[i], created and created[i])
    end
  end
  results[last + 1] = granted
  for i = 1, size do results[last + 1 + i] = created and created[i] and -stored[i] or stored[i] end
  last = last + 1 + size
end

while at < #ARGV do
  local size, take, back = tonumber(ARGV[at + 2]), ARGV[at + 3], tonumber(ARGV[at + 4])
  local wanted = tonumber(take)
  for i = 1, size do capacities[i] = tonumber(ARGV[at + 2 * i + 3]) end
  for _ = 1, ARGV[at + 1] do
    local isDone, fault = pcall(count, size, take, wanted, back)
    if not isDone then
      fault = type(fault) == 'table' and fault.err or tostring(fault)
      if isOfServer(fault) then return redis.error_reply(fault) end
      for i = 1, taken do takeBack(KEYS[key + i], wanted, tonumber(call('GET', KEYS[key + i])), true) end
      last = last + 1
      results[last] = fault
    end
    key = key + size
  end
  at = at + 4 + 2 * size
end
return results`);

/** Arguments of each key: the least count, and the lifetime if it is created. */
const RAISE = script(`
for i, name in ipairs(KEYS) do
  local least = tonumber(ARGV[2 * i - 1])
  local stored = tonumber(redis.call('GET', name) or 0)
  if stored < least then
    redis.call('INCRBY', name, least - stored)
    if redis.call('TTL', name) < 0 then redis.call('EXPIRE', name, ARGV[2 * i]) end
  end
end`);

const PREFIX = 'oddswire:';

/** Where the scripts run, and whether the keys of one script must be in one slot. */
type Scripts = Pick<RedisConnection, 'run' | 'isCluster'>;

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
  readonly #redis: Scripts;
  readonly #callsPerScript: number;
  /** The calls of this turn that are not sent yet, in the order in which they were made. */
  #waiting: Call[] = [];

  constructor(redis: Scripts) {
    this.#redis = redis;
    this.#callsPerScript = redis.isCluster ? 1 : CALLS_PER_SCRIPT;
  }

  take(permits: readonly Permit[], upTo: number): Promise<Taken> {
    return this.#call(permits, upTo, 0);
  }

  async giveBack({ permits }: Receipt, n: number): Promise<void> {
    await this.#call(permits, 0, n);
  }

  readonly raise: RaiseCounts = async (permits, counts) => {
    const names = permits.map(({ counter }) => `${PREFIX}${counter}`);
    await this.#redis.run(
      RAISE,
      names,
      permits.flatMap(({ lifetimeSeconds }, i) => [counts[i] ?? 0, lifetimeSeconds]),
    );
  };

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
    const names: string[] = [];
    for (const { permits } of calls) for (const { counter } of permits) names.push(`${PREFIX}${counter}`);
    try {
      settle(calls, (await this.#redis.run(COUNT, names, argumentsOf(calls))) as Results);
    } catch (fault) {
      for (const { fail } of calls) fail(fault);
    }
  }
}

/** Calls in sequence with the same arguments are one group. Most calls of one turn take one permit under the same plan. */
function argumentsOf(calls: readonly Call[]): readonly number[] {
  const args: number[] = [];
  let first: Call | undefined;
  let countAt = 0;
  for (const call of calls) {
    if (first === undefined || !haveSameArguments(first, call)) {
      first = call;
      countAt = args.length;
      args.push(0, call.permits.length, call.taken, call.givenBack);
      for (const { capacity, lifetimeSeconds } of call.permits) args.push(capacity, lifetimeSeconds);
    }
    args[countAt] = (args[countAt] ?? 0) + 1;
  }
  return args;
}

const haveSameArguments = (one: Call, other: Call): boolean =>
  one.taken === other.taken &&
  one.givenBack === other.givenBack &&
  one.permits.length === other.permits.length &&
  one.permits.every(({ capacity, lifetimeSeconds }, i) => {
    const permit = other.permits[i];
    return permit?.capacity === capacity && permit.lifetimeSeconds === lifetimeSeconds;
  });

type Results = readonly (number | string)[];

function settle(calls: readonly Call[], results: Results): void {
  let i = 0;
  for (const { permits, done, fail } of calls) {
    const granted = results[i];
    i += 1;
    if (typeof granted === 'number') {
      const counts = results.slice(i, i + permits.length) as number[];
      const isNew = (counts[counts.length - 1] ?? 0) < 0;
      for (let at = 0; at < counts.length; at += 1) counts[at] = Math.abs(counts[at] ?? 0);
      const taken = { granted, counts, receipt: { permits, isLocal: false } };
      done(isNew ? { ...taken, isNew } : taken);
      i += permits.length;
    } else fail(new Unavailable('Redis', new Error(granted)));
  }
}
