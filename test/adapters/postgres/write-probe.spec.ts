import { expect } from 'chai';
import type { Knex } from 'knex';
import {
  clientConfig,
  connect,
  disconnect,
  REQUEST_TIMEOUTS,
} from '../../../src/adapters/postgres/connection.js';
import { Instances } from '../../../src/adapters/postgres/instances.js';
import { migrate } from '../../../src/adapters/postgres/migrate.js';
import { sessionsAt } from '../../../src/adapters/postgres/session.js';
import { withErrorMapping } from '../../../src/adapters/postgres/unavailable-database.js';
import { writeProbe } from '../../../src/adapters/postgres/write-probe.js';
import { Unwritable } from '../../../src/application/unavailable.js';
import { startTestPostgres, type TestPostgres } from '../../support/servers/postgres.js';
import { administer } from '../../support/servers/write-faults.js';

const BEGIN = 'alter database postgres set default_transaction_read_only = on';
const END = 'alter database postgres reset default_transaction_read_only';
const SESSIONS = 4;

describe('The probe of writes to Postgres', () => {
  let postgres: TestPostgres;
  let db: Knex;
  let probe: (refusal: Unwritable | null) => Promise<void>;
  before(async () => {
    postgres = await startTestPostgres();
    await migrate(postgres.url);
    await administer(postgres.url, ['create table written (n int)']);
  });
  after(() => postgres.stop());
  beforeEach(() => {
    db = connect(postgres.url, REQUEST_TIMEOUTS, SESSIONS);
    probe = writeProbe(db, new Instances(db, () => {}), renew);
  });
  afterEach(() => disconnect(db));

  const renew = () => sessionsAt(postgres.url, clientConfig(postgres.url, REQUEST_TIMEOUTS)).renew();
  const refusalOf = async (work: Promise<unknown>): Promise<Unwritable> => {
    const fault: unknown = await work.catch((thrown) => thrown);
    return fault instanceof Unwritable ? fault : expect.fail(`not refused: ${fault}`);
  };
  const openAll = () => Promise.all(Array.from({ length: SESSIONS }, () => db.raw('select pg_sleep(0.05)')));
  const writeOnAll = () =>
    Promise.all(
      Array.from({ length: SESSIONS }, () =>
        withErrorMapping(() => db.raw('insert into written select 1 from pg_sleep(0.05)')),
      ),
    );

  it('recognises that the server accepts writes again, though every session began read-only (T28)', async () => {
    await administer(postgres.url, [BEGIN]);
    await openAll();
    const refusal = await refusalOf(probe(null));
    expect(refusal.reason).to.equal('it is read-only');
    await openAll();
    await administer(postgres.url, [END]);
    await probe(refusal);
  });

  it('renews every session that began read-only, even if it did not use one itself', async () => {
    await administer(postgres.url, [BEGIN]);
    const refusal = await refusalOf(probe(null));
    await disconnect(db);
    db = connect(postgres.url, REQUEST_TIMEOUTS, SESSIONS);
    probe = writeProbe(db, new Instances(db, () => {}), renew);
    const inUse = await Promise.all(Array.from({ length: SESSIONS - 1 }, () => db.transaction()));
    await Promise.all(inUse.map((tx) => tx.raw('select 1')));
    await administer(postgres.url, [END]);
    await probe(refusal);
    await Promise.all(inUse.map((tx) => tx.rollback()));
    await writeOnAll();
  });

  it('renews the sessions of every pool, because each of them can write', async () => {
    const other = connect(postgres.url, REQUEST_TIMEOUTS, 1);
    try {
      await administer(postgres.url, [BEGIN]);
      const refusal = await refusalOf(withErrorMapping(() => other.raw('insert into written values (1)')));
      await administer(postgres.url, [END]);
      await probe(refusal);
      await other.raw('insert into written values (1)');
    } finally {
      await disconnect(other);
    }
  });

  it('keeps all sessions while writes succeed', async () => {
    const pids = async () => {
      // Open at the same time, so that each has a session of its own.
      const all = await Promise.all(Array.from({ length: SESSIONS }, () => db.transaction()));
      const answers = await Promise.all(all.map((tx) => tx.raw('select pg_backend_pid() as pid')));
      await Promise.all(all.map((tx) => tx.rollback()));
      return answers.map(({ rows }) => rows[0].pid as number).sort();
    };
    const before = await pids();
    await probe(null);
    expect(await pids()).to.deep.equal(before);
  });
});
