import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { Knex } from 'knex';
import {
  connect,
  disconnect,
  LONG_TIMEOUTS,
  newSession,
  REQUEST_TIMEOUTS,
} from '../../../src/adapters/postgres/connection.js';
import { PrimaryFence } from '../../../src/adapters/postgres/primary-fence.js';
import { isUnavailable } from '../../../src/adapters/postgres/unavailable-database.js';
import { Unavailable } from '../../../src/application/unavailable.js';
import { withHostParameters } from '../../../src/domain/database-hosts.js';
import type { KnownTimelines } from '../../../src/domain/former-primary.js';
import { startTestPostgres, type TestPostgres } from '../../support/servers/postgres.js';
import { type SilentProxy, startSilentProxy } from '../../support/servers/silent-proxy.js';
import { type Standby, startStandby } from '../../support/servers/standby.js';
import { administer } from '../../support/servers/write-faults.js';
import { until } from '../../support/until.js';

const SYSTEM = 'select system_identifier::text as system from pg_control_system()';

describe('The fence against a former primary (D75)', function () {
  this.timeout(60_000);
  let former: TestPostgres;
  let standby: Standby;
  let system: string;
  let promotion: Promise<void> | undefined;
  let closings: (() => Promise<void>)[];
  before(async () => {
    former = await startTestPostgres({ durable: true });
    standby = await startStandby(former);
    [{ system }] = (await administer(former.url, [SYSTEM])) as [{ system: string }];
  });
  beforeEach(() => {
    closings = [];
  });
  afterEach(async () => {
    for (const close of closings.reverse()) await close();
  });
  after(async () => {
    await standby?.stop();
    await former?.stop();
  });

  const log = { info: () => {}, warn: () => {} };
  /** A process with an address of its own, a pool and a fence. */
  const aProcess = async () => {
    const closing = (close: () => Promise<void>) => void closings.push(close);
    const proxy: SilentProxy = await startSilentProxy(former.url);
    closing(() => proxy.stop());
    // The port may be used again, and what was seen is known for each URL.
    const url = `${proxy.url}?fallback_application_name=${randomUUID()}`;
    const db = connect(url, LONG_TIMEOUTS, 4);
    closing(() => disconnect(db));
    let tell: (seen: KnownTimelines) => void = () => {};
    const announced: KnownTimelines[] = [];
    const announcements = {
      announce: async (known: KnownTimelines) => void announced.push(known),
      listen: (listener: typeof tell) => {
        tell = listener;
        return () => {};
      },
    };
    const fence = new PrimaryFence(url, announcements, { log }, { closing });
    const tellPromotion = () => tell(new Map([[system, 2]]));
    return { url, proxy, db, fence, announced, tellPromotion };
  };
  const promoted = () => {
    promotion ??= standby.promote();
    return promotion;
  };
  /** The port of the server that a pool uses. */
  const serverOf = async (db: Knex): Promise<string> => {
    const sql = "select current_setting('port') as port";
    return (await db.raw<{ rows: [{ port: string }] }>(sql)).rows[0].port;
  };
  const process = async (db: Knex): Promise<number> =>
    (await db.raw<{ rows: [{ pid: number }] }>('select pg_backend_pid() as pid')).rows[0].pid;
  /** The error of a call that must fail as one without an answer. */
  const failure = async (call: Promise<unknown>): Promise<Error> => {
    const fault: unknown = await call.then(
      () => null,
      (thrown: unknown) => thrown,
    );
    expect(isUnavailable(fault), String(fault)).to.equal(true);
    return fault as Error;
  };
  /** Resolves when a statement runs on the former primary. `failed` is its error. */
  const underWay = async (db: Knex): Promise<{ readonly failed: Promise<Error> }> => {
    const failed = failure(db.raw('select pg_sleep(60) /* under way */'));
    const running =
      "select from pg_stat_activity where query like '%under way */' and pid <> pg_backend_pid()";
    await until(true, async () => (await administer(former.url, [running])).length > 0);
    return { failed };
  };

  it('closes sessions that are in use when another instance has seen a greater timeline', async () => {
    const { db, tellPromotion } = await aProcess();
    const { failed } = await underWay(db);
    tellPromotion();
    expect((await failed).message).to.include('terminated unexpectedly');
  });

  it('opens no session at a former primary, and says why, until the address leads elsewhere', async () => {
    const { db, fence, tellPromotion } = await aProcess();
    await process(db);
    expect(fence.limitation()).to.equal(null);
    tellPromotion();
    const why = 'a former primary (timeline 1, the current one is 2)';
    expect((await failure(db.raw('select 1'))).message).to.equal(`it is ${why}`);
    expect(fence.limitation()).to.include(`new sessions reach only ${why}`);
  });

  it('closes the listening and reading sessions too, which are in no pool', async () => {
    const { url, db, tellPromotion } = await aProcess();
    await process(db);
    const session = newSession(url, REQUEST_TIMEOUTS);
    await session.connect();
    const ended = new Promise<void>((done) => session.once('end', done));
    session.on('error', () => {});
    tellPromotion();
    await ended;
  });

  it('does not judge a database that does not tell its timeline', async () => {
    const { db, tellPromotion } = await aProcess();
    await administer(former.url, [`alter function pg_control_system() rename to renamed`]);
    try {
      const before = await process(db);
      tellPromotion();
      expect(await process(db)).to.equal(before);
    } finally {
      await administer(former.url, [`alter function renamed() rename to pg_control_system`]);
    }
  });

  it('uses no idle session again after it was renewed', async () => {
    const { db, fence } = await aProcess();
    const before = await process(db);
    expect(await process(db)).to.equal(before);
    fence.renew();
    expect(await process(db)).not.to.equal(before);
  });

  it('fails work that spans a promotion, though the former primary has done it', async () => {
    const { db, fence, tellPromotion } = await aProcess();
    const work = async () => {
      await process(db);
      tellPromotion();
      return 'done';
    };
    const fault: unknown = await fence.run(work).catch((thrown: unknown) => thrown);
    expect(fault).to.be.instanceOf(Unavailable);
    expect(await fence.run(async () => 'done')).to.equal('done');
  });

  it('finds a promotion with a heartbeat, announces it, and leaves sessions of replicas alone', async () => {
    const { proxy, db, fence, announced } = await aProcess();
    const replica = connect(former.url, REQUEST_TIMEOUTS, 1);
    closings.push(() => disconnect(replica));
    const ofReplica = await process(replica);
    await process(db);
    await fence.beat();
    expect(announced).to.deep.equal([new Map([[system, 1]])]);
    const { failed } = await underWay(db);
    await promoted();
    proxy.move(standby.url);
    await fence.beat();
    await failed;
    expect(announced.slice(1)).to.deep.equal([new Map([[system, 2]]), new Map([[system, 2]])]);
    expect(await serverOf(db)).to.equal(new URL(standby.url).port);
    expect(await process(replica)).to.equal(ofReplica);
  });

  it('leads to the promoted server among several hosts, also if a former primary is the first', async () => {
    await promoted();
    const { username, password, pathname } = new URL(former.url);
    const hosts = [former.url, standby.url].map((url) => new URL(url).host).join();
    const url = `postgres://${username}:${password}@${hosts}${pathname}`;
    const db = connect(withHostParameters(url) ?? '', REQUEST_TIMEOUTS, 1);
    closings.push(() => disconnect(db));
    // At first both accept writes, and the first one is tried.
    await until(true, async () => (await serverOf(db).catch(() => '')) !== '');
    expect(await serverOf(db)).to.equal(new URL(standby.url).port);
  });
});
