import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { administer, WRITE_FAULTS } from '../servers/write-faults.js';
import type { Installation } from './installation.js';
import type { LinkState } from './link.js';
import type { RunRecord } from './record.js';
import { type Fault, type PlannedFault, resourceOf } from './schedule.js';

/** What faults happen to. */
export type Victims = {
  readonly installation: Installation;
  readonly dropStreams: () => void;
};

/** Ends a fault. */
type End = () => Promise<void> | void;

const READ_ONLY = 'while every session is read-only';

/** Before a commit writes the log to the disk, Postgres waits 100 ms, which is its greatest setting. */
const SLOW_DISK = {
  begin: [
    'alter system set commit_delay = 100000',
    'alter system set commit_siblings = 0',
    'select pg_reload_conf()',
  ],
  end: ['alter system reset commit_delay', 'alter system reset commit_siblings', 'select pg_reload_conf()'],
};

/** Begins a fault, and returns what ends it. */
async function begin(fault: Fault, { installation, dropStreams }: Victims): Promise<End> {
  const { postgres, redis } = installation;
  switch (fault.kind) {
    case 'instance killed':
      await installation.kill(fault.instance);
      return () => installation.startInstance(fault.instance);
    case 'instance restarted':
      await installation.stopInstance(fault.instance);
      return () => installation.startInstance(fault.instance);
    case 'instance frozen': {
      const { process } = installation.member(fault.instance).instance;
      process.kill('SIGSTOP');
      return () => void process.kill('SIGCONT');
    }
    case 'clock stepped': {
      const { clock } = installation.member(fault.instance);
      clock.ahead(fault.seconds);
      return () => clock.ahead(0);
    }
    case 'slow Postgres':
    case 'slow Redis': {
      const member = installation.member(fault.instance);
      const link = fault.kind === 'slow Redis' ? member.redis : member.postgres;
      link.delay(fault.ms);
      return () => link.delay(0);
    }
    case 'table locked':
      return lock(postgres.url, fault.table);
    case 'Postgres killed':
      await postgres.kill();
      return () => postgres.restart();
    case 'Postgres restarted':
      await postgres.restart();
      return () => {};
    case 'Postgres frozen':
    case 'Redis frozen': {
      const server = fault.kind === 'Redis frozen' ? redis : postgres;
      await server.freeze();
      return () => server.thaw();
    }
    case 'Postgres read-only':
      await administer(postgres.url, WRITE_FAULTS[READ_ONLY]?.begin ?? []);
      return async () => void (await administer(postgres.url, WRITE_FAULTS[READ_ONLY]?.end ?? []));
    case 'slow disk of Postgres':
      await administer(postgres.url, SLOW_DISK.begin);
      return async () => void (await administer(postgres.url, SLOW_DISK.end));
    case 'sessions of Postgres ended':
      await administer(postgres.url, [
        'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid()',
      ]);
      return () => {};
    case 'Redis killed':
      await redis.kill();
      return () => redis.restart();
    case 'streams dropped':
      dropStreams();
      return () => {};
    default:
      return onLink(fault, installation);
  }
}

function onLink({ kind, instance }: Extract<Fault, { readonly instance: number }>, to: Installation): End {
  const member = to.member(instance);
  const link = kind.endsWith('Redis') || kind.includes('Redis') ? member.redis : member.postgres;
  if (kind.includes('closed')) {
    link.cut();
    return () => {};
  }
  const state: LinkState = kind.startsWith('cut off') ? 'silent' : 'deaf';
  link.set(state);
  return () => link.set('open');
}

/** Every statement that uses the table waits, as for a migration. It waits for the transaction of a frozen instance (D110). */
async function lock(url: string, table: string): Promise<End> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`begin; lock table ${table} in access exclusive mode`);
  return () => client.end();
}

/** Runs the faults of a schedule. Resolves when the last one has ended. */
export async function runFaults(
  schedule: readonly PlannedFault[],
  victims: Victims,
  record: RunRecord,
): Promise<void> {
  // A server takes longer to restart than planned: what comes next in its lane, or to the same thing, waits for it.
  const held = new Map<string, Promise<void>>();
  const run = async ({ fault, at, endsAt }: PlannedFault) => {
    await setTimeout(Math.max(0, at - record.now()));
    const resource = resourceOf(fault);
    await held.get(resource);
    const done = (async () => {
      const past = record.began(fault);
      const end = await begin(fault, victims);
      await setTimeout(Math.max(0, endsAt - at - (record.now() - past.beganAt)));
      await end();
      record.ended(past);
    })();
    held.set(resource, done);
    await done;
  };
  const lanes = new Set(schedule.map(({ lane }) => lane));
  await Promise.all(
    [...lanes].map(async (lane) => {
      for (const planned of schedule.filter((each) => each.lane === lane)) await run(planned);
    }),
  );
}
