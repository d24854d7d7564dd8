import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import type { Knex } from 'knex';
import { connect, disconnect, LONG_TIMEOUTS } from '../../../src/adapters/postgres/connection.js';
import { PostgresChangeLogs } from '../../../src/adapters/postgres/postgres-change-logs.js';
import type { AccountId } from '../../../src/domain/accounts/account.js';
import { LOCAL_RECEIVERS } from '../../support/destinations/composed-destinations.js';
import { type StoredWebhook, storeWebhook } from '../../support/destinations/stored-webhook.js';
import { isSigned, WebhookReceiver } from '../../support/destinations/webhook-receiver.js';
import { type Backup, backupOf } from '../../support/dumps/backup.js';
import { publication } from '../../support/objects/builders.js';
import { startTestPostgres, type TestPostgres } from '../../support/servers/postgres.js';
import { startTestRedis, type TestRedis } from '../../support/servers/redis.js';
import { account, advance, publishAll } from '../../support/service/api-calls.js';
import { Client } from '../../support/service/client.js';
import { untilRebuilt } from '../../support/service/older-state.js';
import { launchInstance, type Service, serviceOf } from '../../support/service/running-service.js';
import { until } from '../../support/until.js';

const COMMAND = resolve(import.meta.dirname, '../../../src/commands/destinations.js');
/** Longer than the first delay of a repeat (D69). */
const REPEATED_AFTER_S = 7;

describe('Destinations of a database that is restored to an older state (D45, D69)', function () {
  this.timeout(60_000);
  let postgres: TestPostgres;
  let redis: TestRedis;
  let db: Knex;
  let service: Service;
  let client: Client;
  let dump: Backup;
  let healthy: WebhookReceiver;
  let failing: WebhookReceiver;
  const webhooks: StoredWebhook[] = [];
  /** The output of every instance, of those that have ended too. */
  const outputs: (readonly string[])[] = [];
  const start = async (changes = {}) => {
    const settings = { ...LOCAL_RECEIVERS, ...changes, DATABASE_URL: postgres.url, REDIS_URL: redis.url };
    const launched = [launchInstance(settings), launchInstance(settings)];
    service = serviceOf(...(await Promise.all(launched.map(({ listening }) => listening))));
    client = await Client.of(service);
    outputs.push(...service.instances.map(({ output }) => output));
  };
  const publishOne = (id: string) => publishAll(client, [publication({ id })]);
  const untilGot = (id: string, ...receivers: readonly WebhookReceiver[]) =>
    until(true, () => receivers.every(({ itemIds }) => itemIds.includes(id)));
  const resetsOf = ({ bodies }: WebhookReceiver) => bodies.filter(({ reset }) => reset === true);
  before(async () => {
    [postgres, redis] = await Promise.all([startTestPostgres(), startTestRedis()]);
    [healthy, failing] = [await new WebhookReceiver().start(), await new WebhookReceiver().start()];
    await start();
    db = connect(postgres.url, LONG_TIMEOUTS, 1);
    const owner = (await account(client)) as AccountId;
    for (const { url } of [healthy, failing]) webhooks.push(await storeWebhook(db, owner, url));
    await publishOne('kept');
    await untilGot('kept', healthy, failing);
    dump = await backupOf(postgres.url);
  });
  after(async () => {
    await service.stop();
    await disconnect(db);
    await Promise.all([healthy.stop(), failing.stop(), postgres.stop(), redis.stop()]);
  });

  /** Expects that both receivers get a reset, and after it items of the state that was restored only. */
  const expectResets = async (lost: string) => {
    await until(true, () => [healthy, failing].every((receiver) => resetsOf(receiver).length > 0));
    const id = `instead-of-${lost}`;
    await publishOne(id);
    await untilGot(id, healthy, failing);
    for (const { bodies } of [healthy, failing]) {
      const from = bodies.findIndex(({ reset }) => reset === true);
      const messages = bodies.slice(from).flatMap((body) => body.messages);
      expect(messages.map(({ item }) => item?.news_event.id)).to.deep.equal([id]);
    }
  };

  const command = async (action: string, settings = {}): Promise<string> => {
    const env = { PATH: process.env['PATH'] ?? '', DATABASE_URL: postgres.url, ...settings };
    return (await promisify(execFile)(process.execPath, [COMMAND, action], { env })).stdout;
  };

  it('get a reset by the instances that run, also one that is failing', async () => {
    failing.answering = 500;
    await publishOne('lost');
    await untilGot('lost', healthy, failing);
    for (const receiver of [healthy, failing]) receiver.received.length = 0;
    await dump.restore(postgres.url);
    const logs = new PostgresChangeLogs(postgres.url);
    await untilRebuilt(logs, service.instances);
    await logs.close();
    failing.answering = 204;
    await advance(client, REPEATED_AFTER_S);
    await expectResets('lost');
    // Also those whose position exists in the restored log are to be told.
    const { rows } = await db.raw('select generation from destination_counter');
    expect(rows).to.deep.equal([{ generation: 1 }]);
  });

  it('get a reset by the command, after a restore while all instances were down', async () => {
    await publishOne('lost-later');
    await untilGot('lost-later', healthy, failing);
    await service.stop();
    await dump.restore(postgres.url);
    for (const receiver of [healthy, failing]) receiver.received.length = 0;
    expect(await command('reset')).to.include('every destination gets a reset');

    await start();
    await expectResets('lost-later');
  });

  it('are sealed with another key by the command, and the former key is not needed any more', async () => {
    const fresh = Buffer.alloc(32, 8).toString('base64');
    await service.stop();
    expect(await command('seal', { SECRETS_KEY: `${fresh},${LOCAL_RECEIVERS.SECRETS_KEY}` })).to.include(
      '2 destinations were sealed anew; all have the first key now',
    );
    await start({ SECRETS_KEY: fresh });
    await publishOne('sealed-anew');
    await untilGot('sealed-anew', healthy, failing);
    const [last = expect.fail()] = healthy.received.slice(-1);
    expect(isSigned(last, webhooks[0]?.secret ?? '')).to.equal(true);
  });

  it('have no secret and no URL in any row of the database, line of the log or metric', async () => {
    const { rows: tables } = await db.raw<{ rows: readonly { readonly name: string }[] }>(
      "select tablename as name from pg_tables where schemaname = 'public'",
    );
    expect(tables.map(({ name }) => name)).to.include.members(['destination', 'destination_delivery']);
    const stored: unknown[] = [];
    for (const { name } of tables)
      stored.push((await db.raw('select json_agg(??) from ??', [name, name])).rows);
    const texts = [JSON.stringify(stored), (await client.internal('/metrics')).text, ...outputs.flat()];
    expect(texts[0]).to.include(webhooks[0]?.id);
    expect(texts[1]).to.include('oddswire_destination');
    for (const forbidden of ['/hooks/1f2c', ...webhooks.map(({ secret }) => secret.replace('whsec_', ''))])
      expect(texts.filter((text) => text.includes(forbidden))).to.deep.equal([]);
  });
});
