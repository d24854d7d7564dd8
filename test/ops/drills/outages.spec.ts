import { expect } from 'chai';
import { type Control, startControl } from '../../support/drills/control.js';
import {
  type RestartableService,
  startRestartableService,
} from '../../support/drills/restartable-service.js';
import { type DrillResult, runDrill } from '../../support/drills/run-drill.js';
import { publication } from '../../support/objects/builders.js';
import { isOpen } from '../../support/servers/open-port.js';
import { emptyDatabase, startTestPostgres, type TestPostgres } from '../../support/servers/postgres.js';
import { startTestRedis, type TestRedis } from '../../support/servers/redis.js';
import { aKey, publishAll } from '../../support/service/api-calls.js';
import { Client } from '../../support/service/client.js';
import { launchInstance } from '../../support/service/running-service.js';
import { launchVersionBefore } from '../../support/versions/version-before.js';

const OPERATOR_TOKEN = 'operator-token-of-the-tests';

describe('The drills of outages and upgrades', function () {
  this.timeout(60_000);
  let postgres: TestPostgres;
  let redis: TestRedis;
  let service: RestartableService;
  let control: Control;
  let settings: Readonly<Record<string, string>>;
  /** The versions that the drill has started. */
  const started: string[] = [];

  before(async () => {
    [postgres, redis] = await Promise.all([startTestPostgres(), startTestRedis()]);
    const stores = { DATABASE_URL: await emptyDatabase(postgres.url), REDIS_URL: redis.url };
    service = await startRestartableService(stores, launchVersionBefore);
    control = await startControl({
      'stop-redis': () => redis.kill(),
      'start-redis': () => redis.restart(),
      'stop-postgres': () => postgres.kill(),
      'start-postgres': () => postgres.restart(),
      upgrade: () => service.restart({}, launchInstance).then(() => started.push('new')),
      back: () => service.restart({}, launchVersionBefore).then(() => started.push('former')),
      nothing: async () => {},
    });
    const client = await Client.of(service.service());
    const { key } = await aKey(client);
    await publishAll(client, [publication(), publication()]);
    const { publicUrls, internalUrls } = service;
    settings = { PUBLIC_URLS: publicUrls, INTERNAL_URLS: internalUrls, KEY: key, OPERATOR_TOKEN };
  });
  after(async () => {
    control.stop();
    await service.service().stop();
    await Promise.all([postgres.stop(), redis.stop()]);
  });

  const expectPassed = ({ code, output }: DrillResult, lines: readonly string[]) => {
    expect(code, output).to.equal(0);
    for (const line of lines) expect(output).to.include(`passed: ${line}`);
    for (const name of ['KEY', 'OPERATOR_TOKEN']) expect(output).not.to.include(settings[name]);
  };
  const commands = (server: string) => ({
    ...settings,
    WAIT_SECONDS: '20',
    STOP: control.command(`stop-${server}`),
    START: control.command(`start-${server}`),
  });
  const UNCHANGED = 'nothing was changed';

  it('upgrade-and-back starts the new version, the former one and the new one on one database', async () => {
    const own = { ...settings, UPGRADE: control.command('upgrade'), BACK: control.command('back') };
    expect((await runDrill('upgrade-and-back', own)).output).to.include(UNCHANGED);
    expect(started).to.deep.equal([]);
    expectPassed(await runDrill('upgrade-and-back', own, '--yes'), [
      'after the upgrade: every instance is ready, with the same items',
      'back: every instance is ready, with the same items',
      'the former version reads what the new one has written',
      'after the second upgrade: every instance is ready',
      'the account of the drill is deleted',
      'during all changes of the version',
    ]);
    expect(started).to.deep.equal(['new', 'former', 'new']);
  });

  it('lose-redis starts Redis again if it is interrupted', async () => {
    // The drill waits for the end of STOP before it handles the signal.
    const own = { ...commands('redis'), STOP: `${control.command('stop-redis')}; kill $PPID` };
    const { code, output } = await runDrill('lose-redis', own, '--yes');
    expect(code, output).to.equal(143);
    expect(await isOpen(redis.url)).to.equal(true);
  });

  for (const server of ['redis', 'postgres']) {
    it(`lose-${server} shows that requests are answered during the outage, and that all instances recover`, async () => {
      expect((await runDrill(`lose-${server}`, commands(server))).output).to.include(UNCHANGED);
      expectPassed(await runDrill(`lose-${server}`, commands(server), '--yes'), [
        'every instance is degraded, and stays in the load balancer',
        'every instance is ready again, without a restart',
        ...(server === 'postgres' ? ['every instance answers 503 to operators'] : []),
      ]);
    });

    it(`lose-${server} fails if the server was not stopped`, async () => {
      const own = { ...commands(server), STOP: control.command('nothing'), WAIT_SECONDS: '1' };
      const { code, output } = await runDrill(`lose-${server}`, own, '--yes');
      expect(output).to.match(/is not degraded after 1 s/);
      expect(code).to.equal(1);
    });
  }
});
