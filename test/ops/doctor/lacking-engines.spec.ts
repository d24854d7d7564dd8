import { expect } from 'chai';
import pg from 'pg';
import type { EngineBehaviour } from '../../../src/adapters/findings/engine-behaviour.js';
import { engineBehaviour } from '../../../src/adapters/postgres/engine/engine-behaviour.js';
import { startAlteredEngine } from '../../support/doctor/altered-engine.js';
import { CAPABLE } from '../../support/doctor/capable-engine.js';
import { startPooler } from '../../support/doctor/pooler.js';
import { diagnose, withResult } from '../../support/doctor/run-doctor.js';
import { emptySchema, freshSchema, type Schema, serverUrl } from '../../support/servers/stores.js';
import { launchInstance } from '../../support/service/running-service.js';

/** Functions that shadow those of Postgres: an engine that accepts the call and does not do it. */
const SHADOWS = {
  locks: ['pg_try_advisory_lock(bigint)', 'returns boolean language sql as $$ select true $$'],
  notifications: ['pg_notify(text, text)', 'returns void language sql as $$ select $$'],
};

describe('An engine that lacks what the service needs', function () {
  this.timeout(30_000);

  /** The text with which the service refuses to start. */
  const refusalOf = async (url: string): Promise<string> => {
    const launched = launchInstance({ DATABASE_URL: url });
    const line = await launched.line('cannot start');
    expect(await launched.stop()).to.equal(1);
    return line;
  };
  const expectSameWords = async (url: string, check: string) => {
    const { code, checks } = await diagnose({ DATABASE_URL: url }, [new URL(serverUrl()).password]);
    expect(withResult(checks, 'failed')).to.include(check);
    expect(code).to.equal(1);
    const { detail = '', advice } = checks.get(check) ?? {};
    const refusal = await refusalOf(url);
    expect(refusal).to.match(/^oddswire: cannot start: Postgres cannot be used: /);
    expect(refusal)
      .to.include(detail.replace(/^cannot use [^:]+:\d+\S*: /, ''))
      .and.to.include(advice);
    return checks;
  };

  let schema: Schema;
  beforeEach(async () => {
    schema = await freshSchema();
  });
  afterEach(() => schema.close());

  for (const [check, [shadow, body]] of Object.entries(SHADOWS)) {
    it(`is named by the doctor and refused at the start in the same words: ${check}`, async () => {
      const url = new URL(schema.url);
      const name = /search_path=(\w+)/.exec(url.searchParams.get('options') ?? '')?.[1] ?? '';
      url.searchParams.set('options', `-c search_path=${name},pg_catalog`);
      const db = schema.connect(1);
      await db.raw(`create function ${name}.${shadow} ${body}`);
      try {
        const checks = await expectSameWords(url.href, `postgres ${check}`);
        expect(withResult(checks, 'failed')).to.deep.equal([`postgres ${check}`]);
      } finally {
        await db.raw(`drop function ${name}.${shadow}`);
      }
    });
  }

  // biome-ignore format: a table is read by its columns
  const alterations: readonly (readonly [title: string, from: string, to: string, altered: Partial<EngineBehaviour>])[] = [
    ['waits for a locked row',        'skip locked', '           ', { skipLocked: 'does not skip' }],
    ['does not know "skip locked"',   'skip locked', 'skip_locked', { skipLocked: 'missing' }],
    ['has timestamps in milliseconds', '.123456+00', '.123000+00',  { timestamps: 'lose microseconds' }],
    ['knows no notifications',        'select pg_notify(', 'select pg_xxxxxx(', { notifications: 'missing' }],
    ['knows no advisory locks',       'pg_try_advisory_lock', 'pg_try_xxxxxxxx_lock', { locks: 'missing' }],
    ['does not free a lock',          'pg_advisory_unlock(', 'pg_advisory_lock  (', { locks: 'do not exclude' }],
  ];
  for (const [title, from, to, altered] of alterations) {
    it(`is one that ${title}`, async () => {
      const engine = await startAlteredEngine(schema.url, [from, to]);
      try {
        expect(await engineBehaviour(engine.url)).to.deep.equal({ ...CAPABLE, ...altered });
      } finally {
        await engine.stop();
      }
    });
  }

  it('is refused at the start in the words of the doctor if it waits for a locked row', async () => {
    const engine = await startAlteredEngine(schema.url, ['skip locked', '           ']);
    try {
      await expectSameWords(engine.url, 'postgres skip locked');
    } finally {
      await engine.stop();
    }
  });

  for (const ignoresSettings of [false, true]) {
    it(`is a pooler in transaction mode that ${ignoresSettings ? 'ignores' : 'refuses'} the settings of a session`, async function () {
      const pooler = await startPooler(serverUrl(), { ignoresSettings });
      if (pooler === undefined) {
        console.log('    no PgBouncer: install the package pgbouncer');
        return this.skip();
      }
      try {
        await expectSameWords(pooler.url, ignoresSettings ? 'postgres locks' : 'postgres');
      } finally {
        await pooler.stop();
      }
    });
  }

  it('is not one that is only read-only, on which an instance can start', async () => {
    const url = new URL(schema.url);
    const options = url.searchParams.get('options');
    url.searchParams.set('options', `${options} -c default_transaction_read_only=on`);
    expect(await engineBehaviour(url.href)).to.deep.equal({ ...CAPABLE, skipLocked: 'not checked' });
  });

  it('is not one on which several instances start at the same time', async () => {
    for (let round = 0; round < 10; round += 1) {
      const all = await Promise.all(Array.from({ length: 8 }, () => engineBehaviour(schema.url)));
      expect(all).to.deep.equal(all.map(() => CAPABLE));
    }
  });

  it('is not one without tables, but the lock of a row is checked once they exist', async () => {
    const empty = await engineBehaviour(await emptySchema());
    expect([empty.locks, empty.skipLocked]).to.deep.equal(['exclude', 'not checked']);
    expect((await engineBehaviour(schema.url)).skipLocked).to.equal('skips');
  });

  it('is not one that another instance checks, or in which another transaction holds the row', async () => {
    const holder = new pg.Client({ connectionString: schema.url });
    await holder.connect();
    await holder.query('begin; select from test_clock for update');
    try {
      const found = await Promise.all([1, 2, 3, 4].map(() => engineBehaviour(schema.url)));
      expect(found.map(({ locks }) => locks)).to.deep.equal(Array(4).fill('exclude'));
      expect(found.map(({ skipLocked }) => skipLocked)).to.deep.equal(Array(4).fill('skips'));
    } finally {
      await holder.end();
    }
  });
});
