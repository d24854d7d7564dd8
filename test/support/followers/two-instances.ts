import { setTimeout } from 'node:timers/promises';
import type { PublishingReport } from '../../../src/adapters/http/feed/publishing.js';
import { PostgresChangeLogs } from '../../../src/adapters/postgres/postgres-change-logs.js';
import type { PublicationInput } from '../../../src/domain/feed/feed-item.js';
import { positionToken } from '../../../src/domain/feed/position.js';
import { type Backup, backupOf } from '../dumps/backup.js';
import { freshDatabase } from '../servers/postgres.js';
import { redisUrl, serverUrl } from '../servers/stores.js';
import { administer } from '../servers/write-faults.js';
import { aKey, ndjson } from '../service/api-calls.js';
import { type Asked, Client, type Reply, send } from '../service/client.js';
import { type Instance, killed, launchInstance, serviceOf } from '../service/running-service.js';
import { until } from '../until.js';

const SETTINGS = {
  STREAM_HEARTBEAT_SECONDS: '1',
  STREAMS_PRO: '100000',
  CONNECTIONS_PER_ADDRESS: '0',
  RATE_LIMIT_PRO_MINUTE: '10000000',
  RATE_LIMIT_PRO_DAY: '10000000',
};
const RETRY_MS = 10;

/** Two instances of the service over one Postgres and one Redis, which tests kill, and whose database they restore. */
export class TwoInstances {
  readonly #database: string;
  readonly #logs: PostgresChangeLogs;
  #instances: readonly Instance[] = [];
  readonly #starting = new Set<Promise<unknown>>();
  #backup: Backup | null = null;
  key = '';

  private constructor(database: string) {
    this.#database = database;
    this.#logs = new PostgresChangeLogs(database);
  }

  static async start(): Promise<TwoInstances> {
    const service = new TwoInstances(await freshDatabase(serverUrl()));
    service.#instances = await Promise.all([service.#launch(), service.#launch()]);
    const client = await Client.of(serviceOf(...service.#instances));
    service.key = (await aKey(client)).key;
    return service;
  }

  async stop(): Promise<void> {
    await this.allStarted();
    await serviceOf(...this.#instances).stop();
    await this.#logs.close();
  }

  /** The address of an instance. Nothing listens there while it is down. */
  url(n: number): string {
    return this.#instance(n).url;
  }

  /** Publishes on an instance, or on the other one if it does not answer. */
  async publish(n: number, items: readonly PublicationInput[], mode: 'live' | 'backfill'): Promise<void> {
    const headers = { 'Content-Type': 'application/x-ndjson' };
    const { text } = await this.#change(n, `?mode=${mode}`, { method: 'POST', headers, body: ndjson(items) });
    const { rejected } = JSON.parse(text) as Partial<PublishingReport>;
    const codes = rejected?.flatMap(({ errors }) => errors.map(({ code }) => code)) ?? ['no report'];
    // A backfill keeps what is in the feed under its id (D11).
    if (codes.some((code) => mode === 'live' || code !== 'not_backfill'))
      throw new Error(`not published: ${text}`);
  }

  /** Items that do not exist are ignored. */
  async retract(n: number, id: string): Promise<void> {
    await this.#change(n, `/${encodeURIComponent(id)}`, { method: 'DELETE' });
  }

  /** Removes the oldest changes from the log, as earlier versions did after `CHANGES_KEPT_DAYS`, except the newest ones. */
  async trim(kept: number): Promise<void> {
    await administer(this.#database, [
      'alter table feed_change disable trigger feed_change_kept',
      `delete from feed_change where n <= (select max(n) from feed_change) - ${Math.max(1, kept)}`,
      'alter table feed_change enable trigger feed_change_kept',
    ]);
  }

  /** Kills instances at once, and starts others in their place. Resolves when the first ones are gone. */
  async kill(instances: readonly number[]): Promise<void> {
    await this.allStarted();
    const gone = instances.map((n) => this.#instance(n));
    await Promise.all(gone.map((instance) => killed(instance)));
    for (const old of gone) {
      const starting = this.#launch().then((started) => {
        this.#instances = this.#instances.map((one) => (one === old ? started : one));
        this.#starting.delete(starting);
      });
      this.#starting.add(starting);
    }
  }

  async allStarted(): Promise<void> {
    await Promise.all(this.#starting);
  }

  async backUp(): Promise<void> {
    this.#backup = await backupOf(this.#database);
  }

  /** Restores the last backup. Resolves when both instances have noticed it. */
  async restore(): Promise<void> {
    await this.allStarted();
    await this.#backup?.restore(this.#database);
    await this.untilFollowed();
  }

  /** Resolves when both instances have applied the newest change of the database. */
  async untilFollowed(): Promise<void> {
    const headers = { 'X-API-Key': this.key };
    const positionOf = async ({ url }: Instance) =>
      (await send(`${url}/pm/v2/news?limit=1`, { headers })).headers['feed-position'];
    await until(true, async () => {
      const newest = positionToken((await this.#logs.newest()).feed);
      return (await Promise.all(this.#instances.map(positionOf))).every((position) => position === newest);
    });
  }

  async #change(n: number, path: string, asked: Asked): Promise<Reply> {
    const { tokens } = serviceOf();
    const headers = { ...asked.headers, Authorization: `Bearer ${tokens.publisher}` };
    for (let instance = n; ; instance += 1) {
      const url = `${this.#instance(instance).internalUrl}/internal/v1/news${path}`;
      const reply = await send(url, { ...asked, headers }).catch(() => null);
      if (reply !== null && reply.status < 500) return reply;
      await setTimeout(RETRY_MS);
    }
  }

  #launch(): Promise<Instance> {
    return launchInstance({ ...SETTINGS, DATABASE_URL: this.#database, REDIS_URL: redisUrl() }).listening;
  }

  #instance(n: number): Instance {
    const instance = this.#instances[n % this.#instances.length];
    if (instance === undefined) throw new Error('there is no instance');
    return instance;
  }
}
