import { type Finding, failed, ok, skipped } from '../adapters/findings/check.js';
import { connectionFinding } from '../adapters/findings/connection-fault.js';
import { ENGINE_CHECKS, engineFindings } from '../adapters/findings/engine-behaviour.js';
import { serverAddress } from '../adapters/findings/without-secrets.js';
import { engineBehaviour } from '../adapters/postgres/engine/engine-behaviour.js';
import { readSchemaFit } from '../adapters/postgres/migrate.js';
import { PostgresChangeLogs } from '../adapters/postgres/postgres-change-logs.js';
import type { Config } from '../settings/config.js';
import { faultOf } from './fault.js';
import {
  isolationLevels,
  type ReachedPostgres,
  reachPostgres,
  replicaFacts,
  timelineOf,
  writeFacts,
} from './postgres-facts.js';
import { clockFinding } from './rules/clock-difference.js';
import { isolationFinding } from './rules/isolation-level.js';
import { replicaFinding } from './rules/replica-history.js';
import { schemaFinding } from './rules/schema-finding.js';
import { writeFinding } from './rules/write-finding.js';
import { type DoctorCheck, once } from './run-checks.js';

type Settings = Pick<Config, 'databaseUrl' | 'embeddedDatabase' | 'databaseReplicaUrls' | 'migrateAtStart'>;

export function postgresChecks(settings: Settings): readonly DoctorCheck[] {
  const { databaseUrl: url, embeddedDatabase, databaseReplicaUrls } = settings;
  if (url !== undefined) {
    return [...primaryChecks(url, settings.migrateAtStart), ...replicaChecks(databaseReplicaUrls, url)];
  }
  const why =
    embeddedDatabase === undefined
      ? 'DATABASE_URL is not set'
      : 'an embedded Postgres runs only with the service, which checks it at its start';
  return [{ check: 'postgres', run: async () => skipped(why) }];
}

function primaryChecks(url: string, migratesAtStart: boolean): readonly DoctorCheck[] {
  const server = serverAddress(url);
  const reached = once(() => reachPostgres(url));
  const engine = once(() => engineBehaviour(url));
  const schema = once(() => readSchemaFit(url));
  const whenReached = (check: string, run: (facts: ReachedPostgres) => Promise<Finding>): DoctorCheck => ({
    check,
    run: async () => {
      const facts = await reached().catch(() => null);
      return facts === null ? skipped('Postgres cannot be reached') : run(facts);
    },
  });
  const hasTables = async () => {
    const fit = await schema();
    return fit.fit === 'newer' || (fit.fit === 'known' && fit.pending.length === 0);
  };
  return [
    {
      check: 'postgres',
      run: () =>
        reached().then(
          ({ version }) => ok(`${server} answers, version ${version}`),
          (fault) => connectionFinding('Postgres', server, faultOf(fault)),
        ),
    },
    whenReached('postgres schema', async () => schemaFinding(await schema(), migratesAtStart)),
    ...ENGINE_CHECKS.map((check) =>
      whenReached(`postgres ${check}`, async () => engineFindings(await engine(), server)[check]),
    ),
    whenReached('postgres isolation', async () => isolationFinding(await isolationLevels(url))),
    whenReached('postgres writes', async ({ isStandby }) =>
      writeFinding(await writeFacts(url, isStandby, await hasTables())),
    ),
    whenReached('postgres history', async ({ isStandby }) => {
      if (isStandby) return skipped('the service reads the change logs of the primary only');
      return (await hasTables())
        ? historyFinding(url)
        : skipped('the database does not have the tables of this version');
    }),
    whenReached('postgres clock', async ({ clock }) => clockFinding('Postgres', clock)),
  ];
}

/** By these positions, an instance recognises that the database returned to an older state, or is another one. */
async function historyFinding(url: string): Promise<Finding> {
  const logs = new PostgresChangeLogs(url);
  try {
    const [{ accounts, feed }, timeline] = await Promise.all([logs.newest(), timelineOf(url)]);
    const ofServer = timeline === null ? '' : `, on timeline ${timeline} of the server`;
    return ok(`the change logs end with account change ${accounts.n} and feed change ${feed.n}${ofServer}`);
  } catch (fault) {
    return failed(
      `the change logs cannot be read: ${faultOf(fault).message}`,
      'If a restore runs, wait for its end. Otherwise restore the whole database, with triggers.',
    );
  } finally {
    await logs.close();
  }
}

function replicaChecks(replicaUrls: readonly string[], primaryUrl: string): readonly DoctorCheck[] {
  if (replicaUrls.length === 0) {
    return [{ check: 'replicas', run: async () => skipped('DATABASE_REPLICA_URLS is not set') }];
  }
  return replicaUrls.map((url, i) => ({
    check: replicaUrls.length === 1 ? 'replica' : `replica ${i + 1}`,
    run: () => replicaCheck(url, primaryUrl),
  }));
}

async function replicaCheck(url: string, primaryUrl: string): Promise<Finding> {
  const server = serverAddress(url);
  try {
    await reachPostgres(url);
  } catch (fault) {
    return connectionFinding('Postgres', server, faultOf(fault));
  }
  const [reachable, facts] = await reachPostgres(primaryUrl).then(
    async () => [true, await replicaFacts(url, primaryUrl)] as const,
    () => [false, null] as const,
  );
  if (!reachable) return skipped(`${server} answers, but the primary cannot be reached`);
  if (facts === null) return skipped(`${server} answers, but a feed log is empty or missing`);
  const finding = replicaFinding(facts);
  return { ...finding, detail: `${server} ${finding.detail}` };
}
