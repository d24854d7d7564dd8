import { expect } from 'chai';
import type { Knex } from 'knex';
import { untilReachable } from '../../../src/adapters/postgres/await-database.js';
import {
  connect,
  disconnect,
  REQUEST_PATIENCE,
  renewSessions,
} from '../../../src/adapters/postgres/connection.js';
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
const unheard = new AbortController().signal;

describe('A connection to Postgres', () => {
  let postgres: TestPostgres;
  let db: Knex;
  before(async () => {
    postgres = await startTestPostgres();
    db = connect(postgres.url, { ...REQUEST_PATIENCE, statementMs: 300, connectMs: 300 }, 2);
  });
  after(async () => {
    await disconnect(db);
    await postgres.stop();
  });

  it('carries moments to the microsecond, both ways (D3)', async () => {
    for (const at of [NOON, plus(NOON, MICROSECOND), FIRST_MOMENT, LAST_MOMENT]) {
      const { rows } = await db.raw('select ?::timestamptz as at', [at]);
      expect(rows).to.deep.equal([{ at }]);
    }
  });

  it('writes numbers of changes as numbers', async () => {
    const { rows } = await db.raw('select 9007199254740991::bigint as n');
    expect(rows).to.deep.equal([{ n: Number.MAX_SAFE_INTEGER }]);
  });

  it('gives up on a statement that takes too long (T7)', async () => {
    expect(await faultOf(withErrorMapping(() => db.raw('select pg_sleep(5)')))).to.be.instanceOf(Unavailable);
    expect((await db.raw('select 1 as one')).rows).to.deep.equal([{ one: 1 }]);
  });

  it('gives up on a server that says nothing, and is well again as soon as that is (T7)', async () => {
    await Promise.all([1, 2].map(() => db.raw('select 1')));
    await postgres.freeze();
    const asking = [1, 2, 3, 4].map(() => faultOf(withErrorMapping(() => db.raw('select 1'))));
    const faults = await Promise.all(asking);
    await postgres.thaw();
    for (const fault of faults) expect(fault).to.be.instanceOf(Unavailable);
    // Not one connection that hung is used again; the server itself may need a moment to come to.
    await untilReachable(db, unheard, () => {});
    const answers = await Promise.all([1, 2, 3, 4].map(() => db.raw('select 1 as one')));
    expect(answers.map(({ rows }) => rows)).to.deep.equal(Array(4).fill([{ one: 1 }]));
  });

  it('uses no connection again whose answer was late: it may be dead without anybody having said so (T7)', async () => {
    const proxy = await startSilentProxy(postgres.url);
    const over = connect(proxy.url, { ...REQUEST_PATIENCE, statementMs: 300, connectMs: 1_000 }, 2);
    try {
      await Promise.all([1, 2].map(() => over.raw('select pg_sleep(0.1)')));
      proxy.silence();
      const faults = [1, 2].map(() => faultOf(withErrorMapping(() => over.raw('select 1'))));
      for (const fault of await Promise.all(faults)) expect(fault).to.be.instanceOf(Unavailable);
      const answers = await Promise.all([1, 2].map(() => over.raw('select 1 as one')));
      expect(answers.map(({ rows }) => rows)).to.deep.equal(Array(2).fill([{ one: 1 }]));
    } finally {
      await disconnect(over);
      await proxy.stop();
    }
  });

  it('uses no session again once they are renewed, and takes none away from who is using it', async () => {
    const over = connect(postgres.url, REQUEST_PATIENCE, 2);
    const session = async (from: Knex) => {
      const { rows } = await from.raw('select pg_backend_pid() as pid');
      return rows[0].pid as number;
    };
    try {
      const before = await Promise.all([1, 2].map(() => session(over)));
      const inUse = await over.transaction(async (tx) => {
        const first = await session(tx);
        renewSessions(over);
        return [first, await session(tx)];
      });
      expect(inUse[0]).to.equal(inUse[1]);
      const after = await Promise.all([1, 2, 3, 4].map(() => session(over)));
      expect(after.filter((pid) => before.includes(pid))).to.deep.equal([]);
    } finally {
      await disconnect(over);
    }
  });

  it('shows nothing in a fault that was bound to a statement', async () => {
    const fault = await faultOf(db.raw('select nonsense where ? is not null', ['a secret']));
    expect(String(fault)).to.include('select nonsense').and.not.include('a secret');
  });

  it('tells a fault of ours from one of the server: what is wrong with a query is no absence', async () => {
    const fault = await faultOf(withErrorMapping(() => db.raw('select nonsense')));
    expect(fault).to.be.instanceOf(Error).and.not.instanceOf(Unavailable);
    expect([new TypeError('timeout of thought'), 'text', null].map(isUnavailable)).to.deep.equal([
      true,
      false,
      false,
    ]);
  });

  it('is waited for, said once in a while, until the server is there', async () => {
    await postgres.kill();
    const lines: string[] = [];
    const waiting = untilReachable(db, unheard, (title) => lines.push(title));
    while (lines.length === 0) await new Promise((done) => setTimeout(done, 5));
    await postgres.restart();
    await waiting;
    expect(lines).to.have.length(1);
    expect(lines[0]).to.match(/^waiting for Postgres: /);
  });

  it('is not waited for any more when told so', async () => {
    await postgres.kill();
    const abort = new AbortController();
    const waiting = faultOf(untilReachable(db, abort.signal, () => abort.abort()));
    expect(await waiting)
      .to.be.instanceOf(Error)
      .with.property('message')
      .that.includes('told to stop');
    await postgres.restart();
    await untilReachable(db, unheard, () => {});
  });

  it('is not waited for where waiting mends nothing, and no password is told', async () => {
    const wrong = new URL(postgres.url);
    wrong.password = 'hush-hush';
    const nowhere = new URL(postgres.url);
    nowhere.pathname = '/nowhere';
    for (const [url, title] of [
      [wrong, /password authentication failed/],
      [nowhere, /database "nowhere" does not exist/],
    ] as const) {
      const other = connect(url.href, REQUEST_PATIENCE, 1);
      const fault = await faultOf(untilReachable(other, unheard, () => {}));
      expect(fault).to.be.instanceOf(Error).with.property('message').that.matches(title);
      expect(String(fault)).not.to.include('hush');
      await disconnect(other);
    }
  });
});
