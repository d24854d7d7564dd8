import { expect } from 'chai';
import type { Knex } from 'knex';
import { untilReachable } from '../../../src/adapters/postgres/await-database.js';
import {
  clientConfig,
  connect,
  disconnect,
  REQUEST_TIMEOUTS,
} from '../../../src/adapters/postgres/connection.js';
import { sessionsAt } from '../../../src/adapters/postgres/session.js';
import { isUnavailable, withErrorMapping } from '../../../src/adapters/postgres/unavailable-database.js';
import { Unavailable } from '../../../src/application/unavailable.js';
import { FIRST_MOMENT, LAST_MOMENT, MICROSECOND, plus } from '../../../src/domain/moment.js';
import { NOON } from '../../support/objects/builders.js';
import { startTestPostgres, type TestPostgres } from '../../support/servers/postgres.js';
import { startSilentProxy } from '../../support/servers/silent-proxy.js';

const faultOf = (work: Promise<unknown>) =>
  work.then(
    () => 'answered',
    (fault: unknown) => fault,
  );
const neverAborted = new AbortController().signal;

describe('A connection to Postgres', () => {
  let postgres: TestPostgres;
  let db: Knex;
  before(async () => {
    postgres = await startTestPostgres();
    db = connect(postgres.url, { ...REQUEST_TIMEOUTS, statementMs: 500, connectMs: 500 }, 2);
    // On a busy machine the first connection may take longer.
    await untilReachable(db, neverAborted, () => {});
  });
  after(async () => {
    await disconnect(db);
    await postgres.stop();
  });

  it('writes and reads moments to the microsecond (D3)', async () => {
    for (const at of [NOON, plus(NOON, MICROSECOND), FIRST_MOMENT, LAST_MOMENT]) {
      const { rows } = await db.raw('select ?::timestamptz as at', [at]);
      expect(rows).to.deep.equal([{ at }]);
    }
  });

  it('reads no time of a session in another time zone, which would be wrong by hours', async () => {
    const reading = db.transaction(async (tx) => {
      await tx.raw("set local time zone 'Europe/Berlin'");
      await tx.raw('select ?::timestamptz as at', [NOON]);
    });
    await reading.then(
      () => expect.fail('a time was read'),
      (fault: Error) => expect(fault.message).to.contain('the session of Postgres is not in UTC'),
    );
  });

  it('reads a bigint as a number', async () => {
    const { rows } = await db.raw('select 9007199254740991::bigint as n');
    expect(rows).to.deep.equal([{ n: Number.MAX_SAFE_INTEGER }]);
  });

  it('compiles no query just in time, also without statistics of its tables, as after a restore (D45)', async () => {
    const { rows } = await db.raw('show jit');
    expect(rows).to.deep.equal([{ jit: 'off' }]);
  });

  it('reads what is committed, also in a database whose default is serializable', async () => {
    const name = (await db.raw('select current_database() as name')).rows[0].name;
    await db.raw("alter database ?? set default_transaction_isolation = 'serializable'", [name]);
    const other = connect(postgres.url, REQUEST_TIMEOUTS, 1);
    const isolation = await other.transaction((tx) => tx.raw('show transaction_isolation'));
    await disconnect(other);
    await db.raw('alter database ?? reset default_transaction_isolation', [name]);
    expect(isolation.rows).to.deep.equal([{ transaction_isolation: 'read committed' }]);
  });

  it('fails a statement that takes too long (T7)', async () => {
    expect(await faultOf(withErrorMapping(() => db.raw('select pg_sleep(5)')))).to.be.instanceOf(Unavailable);
    expect((await db.raw('select 1 as one')).rows).to.deep.equal([{ one: 1 }]);
  });

  it('times out on a frozen server, and works again as soon as the server does (T7)', async () => {
    await Promise.all([1, 2].map(() => db.raw('select 1')));
    await postgres.freeze();
    const queries = [1, 2, 3, 4].map(() => faultOf(withErrorMapping(() => db.raw('select 1'))));
    const faults = await Promise.all(queries);
    await postgres.thaw();
    for (const fault of faults) expect(fault).to.be.instanceOf(Unavailable);
    // No hung connection is used again. The server itself may need a moment until it answers.
    await untilReachable(db, neverAborted, () => {});
    const answers = await Promise.all([1, 2, 3, 4].map(() => db.raw('select 1 as one')));
    expect(answers.map(({ rows }) => rows)).to.deep.equal(Array(4).fill([{ one: 1 }]));
  });

  it('is not used again after a timeout, because it may be dead without an error (T7)', async () => {
    const proxy = await startSilentProxy(postgres.url);
    const pool = connect(proxy.url, { ...REQUEST_TIMEOUTS, statementMs: 300, connectMs: 1_000 }, 2);
    try {
      await Promise.all([1, 2].map(() => pool.raw('select pg_sleep(0.1)')));
      proxy.silence();
      const faults = [1, 2].map(() => faultOf(withErrorMapping(() => pool.raw('select 1'))));
      for (const fault of await Promise.all(faults)) expect(fault).to.be.instanceOf(Unavailable);
      const answers = await Promise.all([1, 2].map(() => pool.raw('select 1 as one')));
      expect(answers.map(({ rows }) => rows)).to.deep.equal(Array(2).fill([{ one: 1 }]));
    } finally {
      await disconnect(pool);
      await proxy.stop();
    }
  });

  it('is not used again after a renewal of sessions, and a session in use stays until then', async () => {
    const pool = connect(postgres.url, REQUEST_TIMEOUTS, 2);
    const session = async (from: Knex) => {
      const { rows } = await from.raw('select pg_backend_pid() as pid');
      return rows[0].pid as number;
    };
    try {
      const before = await Promise.all([1, 2].map(() => session(pool)));
      const inUse = await pool.transaction(async (tx) => {
        const first = await session(tx);
        sessionsAt(postgres.url, clientConfig(postgres.url, REQUEST_TIMEOUTS)).renew();
        return [first, await session(tx)];
      });
      expect(inUse[0]).to.equal(inUse[1]);
      const after = await Promise.all([1, 2, 3, 4].map(() => session(pool)));
      expect(after.filter((pid) => before.includes(pid))).to.deep.equal([]);
    } finally {
      await disconnect(pool);
    }
  });

  it('shows no bound value in an error', async () => {
    const fault = await faultOf(db.raw('select nonsense where ? is not null', ['a secret']));
    expect(String(fault)).to.include('select nonsense').and.not.include('a secret');
  });

  it('reports a wrong query as a bug, not as an unavailable server', async () => {
    const fault = await faultOf(withErrorMapping(() => db.raw('select nonsense')));
    expect(fault).to.be.instanceOf(Error).and.not.instanceOf(Unavailable);
    expect([new TypeError('timeout of thought'), 'text', null].map(isUnavailable)).to.deep.equal([
      true,
      false,
      false,
    ]);
  });

  it('is awaited, with a message now and then, until the server answers', async () => {
    await postgres.kill();
    const lines: string[] = [];
    const waiting = untilReachable(db, neverAborted, (message) => lines.push(message));
    while (lines.length === 0) await new Promise((done) => setTimeout(done, 5));
    await postgres.restart();
    await waiting;
    expect(lines).to.have.length(1);
    expect(lines[0]).to.match(/^waiting for Postgres: /);
  });

  it('is no longer awaited after an abort', async () => {
    await postgres.kill();
    const abort = new AbortController();
    const waiting = faultOf(untilReachable(db, abort.signal, () => abort.abort()));
    expect(await waiting)
      .to.be.instanceOf(Error)
      .with.property('message')
      .that.includes('stopped before Postgres answered');
    await postgres.restart();
    await untilReachable(db, neverAborted, () => {});
  });

  it('is not awaited if waiting cannot help, and the error has no password', async () => {
    const wrong = new URL(postgres.url);
    wrong.password = 'hush-hush';
    const nowhere = new URL(postgres.url);
    nowhere.pathname = '/nowhere';
    for (const [url, message] of [
      [wrong, /password authentication failed/],
      [nowhere, /database "nowhere" does not exist/],
    ] as const) {
      const other = connect(url.href, REQUEST_TIMEOUTS, 1);
      const fault = await faultOf(untilReachable(other, neverAborted, () => {}));
      expect(fault).to.be.instanceOf(Error).with.property('message').that.matches(message);
      expect(String(fault)).not.to.include('hush');
      await disconnect(other);
    }
  });
});
