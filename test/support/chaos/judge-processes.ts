import { readdirSync } from 'node:fs';
import { administer } from '../servers/write-faults.js';
import { tree } from '../service/process-tree.js';
import { stopped } from '../service/running-service.js';
import { operate } from './calls.js';
import { type Installation, type Member, type Memory, memoryOf, stopMember } from './installation.js';
import type { KnownKey } from './key-actor.js';
import type { RunRecord } from './record.js';

/** Besides its caches, an instance takes this much more than one that has lived through nothing: compiled code, copies of keys. */
const MEMORY_MORE_BYTES = 16 * 1_024 ** 2;
/** The bounds of the caches in MB (D53, `docs/limits.md`). A single change may exceed those of changes. */
const CACHES_MAX_MB: Readonly<Record<string, number>> = {
  pages: 64,
  compressed: 32,
  changes: 32,
  blocks: 32,
};
/** A connection of a pool that is not needed any more, and one that is just replaced. */
const DESCRIPTORS_MORE = 25;

const MEGABYTE = 1_024 ** 2;

const descriptorsOf = ({ instance }: Member): number => {
  try {
    return readdirSync(`/proc/${instance.process.pid}/fd`).length;
  } catch {
    return 0; // Not Linux.
  }
};

/** After a quiet time, an instance needs what one needs that has just been started. */
export async function judgeResources(installation: Installation, record: RunRecord): Promise<void> {
  const fresh = await installation.startFresh();
  try {
    const [freshMemory, freshDescriptors] = [await memoryOf(fresh), descriptorsOf(fresh)];
    for (const [n, member] of installation.members.entries()) {
      const { pid } = member.instance.process;
      const [memory, descriptors] = [await memoryOf(member), descriptorsOf(member)];
      record.count(`descriptors, instance ${n}`, descriptors);
      judgeMemory(n, memory, freshMemory, record);
      if (descriptors > freshDescriptors + DESCRIPTORS_MORE)
        record.violated(
          'no connection is left over',
          `instance ${n}: ${descriptors} descriptors, a fresh one ${freshDescriptors}`,
        );
      const children = pid === undefined ? [] : tree(pid).slice(1);
      if (children.length > 0)
        record.violated('an instance has no child process', `instance ${n}: ${children}`);
    }
    const open = await administer(installation.postgres.url, [
      "select pid, state, query from pg_stat_activity where state like 'idle in transaction%' and state_change < now() - interval '2 seconds'",
    ]);
    if (open.length > 0) record.violated('no transaction is left open', JSON.stringify(open));
  } finally {
    await stopMember(fresh);
  }
}

function judgeMemory(n: number, memory: Memory, fresh: Memory, record: RunRecord): void {
  const { objects, buffers, caches } = memory;
  record.count(`MB of objects, instance ${n}`, Math.round(objects / MEGABYTE));
  record.count(`MB of buffers, instance ${n}`, Math.round(buffers / MEGABYTE));
  const sizes = Object.entries(CACHES_MAX_MB).map(([cache, max]) => {
    const bytes = caches.get(cache) ?? Number.NaN;
    if (!(bytes <= max * MEGABYTE))
      record.violated(
        'each cache keeps its bound',
        `instance ${n}: ${cache} has ${bytes} bytes of ${max} MB`,
      );
    return `${cache} ${bytes}`;
  });
  record.count(`MB of caches, instance ${n}`, Math.round(cachedOf(memory) / MEGABYTE));
  const more = besidesCaches(memory) - besidesCaches(fresh);
  record.count(`MB more than a fresh instance besides caches, instance ${n}`, Math.round(more / MEGABYTE));
  if (more > MEMORY_MORE_BYTES)
    record.violated(
      'memory does not grow, except for caches',
      `instance ${n}: ${objects} bytes of objects, ${buffers} of buffers; ${sizes.join(', ')}; ${more} more than a fresh one`,
    );
}

const cachedOf = ({ caches }: Memory): number => [...caches.values()].reduce((sum, bytes) => sum + bytes, 0);

const besidesCaches = (memory: Memory): number => memory.objects + memory.buffers - cachedOf(memory);

/** Stops every instance: it ends with 0 and closes its connections. */
export async function judgeStop({ members }: Installation, record: RunRecord): Promise<void> {
  for (const [n, { instance, postgres, redis }] of members.entries()) {
    const code = await stopped(instance.process);
    if (code !== 0) record.violated('an instance stops with 0', `instance ${n}: ${code}`);
    const left = postgres.connections() + redis.connections();
    if (left > 0) record.violated('a stopped instance has no connection', `instance ${n}: ${left}`);
  }
}

/** A server that does not answer in time is expected here. Any other exception is a bug (CONTRIBUTING.md, *Code*). */
const BUG = /"level":50,(?!.*"type":"(?:Unavailable|UnavailableAfterPause|NotNow)")/;
const LINE_SHOWN = 1_500;
/** Texts that no log of a run may have. The first one is a copy of a key that differs from the store. */
const NEVER_LOGGED = ['no change was logged', 'the database returned to an older state'];

/** What all processes of the run have written. */
export function judgeLogs({ members }: Installation, record: RunRecord, keys: readonly string[]): void {
  for (const [n, { past }] of members.entries())
    for (const [incarnation, { output }] of past.entries())
      for (const line of output) judgeLine(line, `instance ${n}, process ${incarnation + 1}`, record, keys);
}

function judgeLine(line: string, process: string, record: RunRecord, keys: readonly string[]): void {
  record.count('lines of logs');
  if (BUG.test(line)) record.violated('no bug is logged', `${process}: ${line.slice(0, LINE_SHOWN)}`);
  for (const text of NEVER_LOGGED)
    if (line.includes(text)) record.violated(`the log never says “${text}”`, `${process}: ${line}`);
  const at = keys.findIndex((key) => line.includes(key));
  if (at !== -1) record.violated('no log has the value of a key (D19)', `${process}: key number ${at}`);
}

type StoredKey = {
  readonly status: string;
  readonly revocation_cause: string | null;
  readonly audit: readonly { readonly event: string }[];
};

/** Every key has the acknowledged state, and an audit entry for each acknowledged call (D25). */
export async function judgeKeys(
  installation: Installation,
  record: RunRecord,
  known: readonly KnownKey[],
): Promise<void> {
  for (const { id, status, cause, events } of known) {
    const { reply } = await operate(installation, 0, 'GET', `/keys/${id}`);
    const stored = reply.json as StoredKey;
    record.count('keys compared');
    if (stored.status !== status || stored.revocation_cause !== cause)
      record.violated(
        'a key has the acknowledged state',
        `key ${id}: ${stored.status} by ${stored.revocation_cause}, acknowledged ${status} by ${cause}`,
      );
    for (const [event, { acknowledged, attempts }] of events) {
      const found = stored.audit.filter((entry) => entry.event === event).length;
      if (found < acknowledged || found > attempts)
        record.violated(
          'every acknowledged call has its audit entry (D25)',
          `key ${id}: ${found} entries ${event}, ${acknowledged} acknowledged, ${attempts} requests`,
        );
    }
  }
}
