import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect } from 'chai';
import { onPath } from '../../../src/adapters/postgres-server/postgres-binaries.js';
import { type Control, startControl } from '../../support/drills/control.js';
import {
  type RestartableService,
  startRestartableService,
} from '../../support/drills/restartable-service.js';
import { type DrillResult, runDrill } from '../../support/drills/run-drill.js';
import { publication } from '../../support/objects/builders.js';
import {
  emptyDatabase,
  freshDatabase,
  startTestPostgres,
  type TestPostgres,
} from '../../support/servers/postgres.js';
import { startTestRedis, type TestRedis } from '../../support/servers/redis.js';
import { aKey, publishAll } from '../../support/service/api-calls.js';
import { Client, send } from '../../support/service/client.js';
import { WEBHOOK_SECRET } from '../../support/service/running-service.js';

const MAIN = resolve(import.meta.dirname, '../../../src/main.js');
const OPERATOR_TOKEN = 'operator-token-of-the-tests';
const NEW_OPERATOR_TOKEN = 'a "new" token\\of-operators'.replaceAll(' ', '-');
const NEW_WEBHOOK_SECRET = 'whsec_the_new_one';

describe('The drills', function () {
  this.timeout(40_000);
  let postgres: TestPostgres;
  let redis: TestRedis;
  let service: RestartableService;
  let control: Control;
  let database: string;
  let key: string;
  let urls: { readonly PUBLIC_URLS: string; readonly INTERNAL_URLS: string; readonly INTERNAL_URL: string };

  before(async () => {
    [postgres, redis] = await Promise.all([startTestPostgres(), startTestRedis()]);
    database = await freshDatabase(postgres.url);
    service = await startRestartableService({
      DATABASE_URL: database,
      REDIS_URL: redis.url,
    });
    control = await startControl({
      operator: (token) => service.restart({ OPERATOR_TOKEN: token }),
      secrets: (secrets) => service.restart({ STRIPE_WEBHOOK_SECRET: secrets }),
      nothing: async () => {},
    });
    const { publicUrls, internalUrls } = service;
    urls = {
      PUBLIC_URLS: publicUrls,
      INTERNAL_URLS: internalUrls,
      INTERNAL_URL: internalUrls.split(' ')[0] ?? '',
    };
    const client = await Client.of(service.service());
    ({ key } = await aKey(client));
    await publishAll(client, [publication(), publication({ id: 'ne_2' })]);
  });
  after(async () => {
    control.stop();
    await service.service().stop();
    await Promise.all([postgres.stop(), redis.stop()]);
  });

  /** Expects that the drill passed, and that it wrote none of these secrets. */
  const expectPassed = (
    { code, output }: DrillResult,
    lines: readonly string[],
    secrets: readonly string[] = [],
  ) => {
    expect(code, output).to.equal(0);
    for (const line of lines) expect(output).to.include(`passed: ${line}`);
    for (const secret of [OPERATOR_TOKEN, key, ...secrets]) expect(output).not.to.include(secret);
  };
  const expectFailed = ({ code, output }: DrillResult, text: string) => {
    expect(output).to.include(text);
    expect(code).to.equal(1);
  };

  it('are all described, and say which variables they need', async () => {
    const names = readdirSync(resolve('ops/drills')).filter((name) => name !== 'drill.sh');
    const page = readFileSync(resolve('docs/operations.md'), 'utf8');
    expect(names).to.have.length(7);
    for (const name of names) {
      expect(page).to.include(`| \`${name}\` |`);
      const { code, output } = await runDrill(name.replace('.sh', ''), {});
      expect([code, output.includes(': set ')], name).to.deep.equal([2, true]);
    }
  });

  describe('backup-and-restore', () => {
    before(function () {
      if (onPath('pg_dump').length === 0) {
        console.log('      skipped: pg_dump is not installed');
        this.skip();
      }
    });

    it('compares every table of a restored backup, and starts the service on it', async () => {
      const empty = await emptyDatabase(postgres.url);
      const settings = { DATABASE_URL: database, RESTORE_DATABASE_URL: empty, SERVICE: MAIN };
      const result = await runDrill('backup-and-restore', settings);
      expectPassed(result, ['the dump has', 'the service runs on the restored database']);
      expect(Number(/passed: (\d+) tables have the same rows/.exec(result.output)?.[1])).to.be.above(20);
      expectFailed(await runDrill('backup-and-restore', settings), 'It must be empty');
    });

    it('fails for a database of something else', async () => {
      const [one, other] = [await emptyDatabase(postgres.url), await emptyDatabase(postgres.url)];
      const result = await runDrill('backup-and-restore', { DATABASE_URL: one, RESTORE_DATABASE_URL: other });
      expectFailed(result, 'the backup lacks tables');
    });
  });

  describe('leaked-key', () => {
    const drill = (changed: object = {}) => runDrill('leaked-key', { ...urls, OPERATOR_TOKEN, ...changed });

    it('revokes one key of an account on every instance, and deletes the account', async () => {
      const result = await drill();
      expectPassed(result, [
        'every instance accepts both keys',
        'every instance refuses the disclosed key within 2 s',
        'every instance accepts the replacement',
        'the audit log has the revocation with its reason',
      ]);
      expect(result.output).not.to.match(/svc_\w/);
    });

    it('fails if an address is not an instance of this service', async () => {
      const result = await drill({ PUBLIC_URLS: urls.INTERNAL_URL, WAIT_SECONDS: '1' });
      expectFailed(result, 'still answers');
    });
  });

  describe('changed-operator-token', () => {
    const drill = (changed: object, ...args: readonly string[]) => {
      const RESTART = control.command('operator', 'OPERATOR_TOKEN');
      const own = { ...urls, OPERATOR_TOKEN, NEW_OPERATOR_TOKEN, RESTART, WAIT_SECONDS: '2', ...changed };
      return runDrill('changed-operator-token', own, ...args);
    };

    it('changes nothing without --yes', async () => {
      const result = await drill({});
      expectPassed(result, ['every instance accepts only the present token']);
      expect(result.output).to.include('nothing was changed');
    });

    it('fails if the instances were not restarted', async () => {
      expectFailed(
        await drill({ RESTART: control.command('nothing') }, '--yes'),
        'the status is 401 instead of 200',
      );
      expectFailed(await drill({ RESTART: 'exit 3' }, '--yes'), 'RESTART ended with an error');
    });

    it('replaces the token on every instance', async () => {
      expectPassed(
        await drill({}, '--yes'),
        ['every instance accepts only the new token'],
        [NEW_OPERATOR_TOKEN],
      );
      await service.restart({ OPERATOR_TOKEN });
    });
  });

  describe('changed-webhook-secret', () => {
    const drill = (changed: object, ...args: readonly string[]) => {
      const RESTART = control.command('secrets', 'STRIPE_WEBHOOK_SECRET');
      const own = { ...urls, STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET, NEW_WEBHOOK_SECRET, RESTART, ...changed };
      return runDrill('changed-webhook-secret', own, ...args);
    };
    const secrets = [WEBHOOK_SECRET, NEW_WEBHOOK_SECRET];

    it('changes nothing without --yes', async () => {
      const result = await drill({});
      expectPassed(result, ['every instance refuses a wrong secret'], secrets);
      expect(result.output).to.include('nothing was changed');
    });

    it('fails if the instances were not restarted', async () => {
      const result = await drill({ RESTART: control.command('nothing') }, '--yes');
      expectFailed(result, 'the status is 400 instead of 200');
    });

    it('accepts both secrets, or only the new one after a disclosure', async () => {
      const both = await drill({}, '--yes');
      expectPassed(
        both,
        ['every instance accepts the new secret, and answers 200 to the former one'],
        secrets,
      );
      const disclosed = await drill({ DISCLOSED: 'yes' }, '--yes');
      expectPassed(
        disclosed,
        ['every instance accepts the new secret, and answers 400 to the former one'],
        secrets,
      );
      const [url] = urls.PUBLIC_URLS.split(' ');
      expect((await send(`${url}/pm/v2/news`, { headers: { 'X-API-Key': key } })).status).to.equal(200);
    });
  });
});
