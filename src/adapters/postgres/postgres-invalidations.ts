import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import type pg from 'pg';
import {
  invalidationMessage,
  readInvalidationMessage,
  type SentInvalidation,
} from '../../application/keys/sent-invalidation.js';
import type { Invalidation, Invalidations } from '../../application/ports/invalidations.js';
import type { KeyHash } from '../../domain/keys/key-value.js';
import { Listeners } from '../listeners/listeners.js';
import { newSession, REQUEST_TIMEOUTS } from './connection.js';

/** A notification has at most 8 000 bytes, a hash 64. */
const KEYS_PER_MESSAGE = 100;
const RECONNECT_EVERY_MS = 500;
/** The interval of the check query. Without it, a lost connection looks like a connection without notifications. */
const CHECK_EVERY_MS = 1_000;

/** Invalidations between instances by `LISTEN` and `NOTIFY`. It listens on a connection outside the pool. */
export class PostgresInvalidations implements Invalidations {
  readonly #db: Knex;
  readonly #url: string;
  readonly #id = randomUUID();
  readonly #listeners = new Listeners<Invalidation>();
  #client: pg.Client | undefined;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(db: Knex, url: string) {
    this.#db = db;
    this.#url = url;
  }

  /** Resolves when it listens, or when the first attempt has failed. After a failure it retries in the background. */
  start(): Promise<void> {
    return this.#connect();
  }

  /**
   * Notifies the listeners of this instance at once, even while the database is unavailable. Notifies other instances
   * through the database.
   */
  async send(invalidation: Invalidation): Promise<void> {
    this.#listeners.notify(invalidation);
    for (const chunk of chunksOf(invalidation)) {
      const sent: SentInvalidation = { from: this.#id, invalidation: chunk };
      try {
        await this.#db.raw("select pg_notify('oddswire_' || md5(current_schema()), ?)", [
          invalidationMessage(sent),
        ]);
      } catch {
        // This invalidation is lost; copies follow the change logs anyway (D39).
      }
    }
  }

  listen(listener: (invalidation: Invalidation) => void): () => void {
    return this.#listeners.add(listener);
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#drop();
  }

  #receive(payload: string): void {
    const sent = readInvalidationMessage(payload);
    if (sent !== null && sent.from !== this.#id) this.#listeners.notify(sent.invalidation);
  }

  async #connect(): Promise<void> {
    if (this.#closed) return;
    const client = newSession(this.#url, REQUEST_TIMEOUTS);
    client.on('error', () => this.#drop(client));
    client.on('end', () => this.#drop(client));
    client.on('notification', ({ payload }) => this.#receive(payload ?? ''));
    this.#client = client;
    try {
      await client.connect();
      const { rows } = await client.query<{ channel: string }>(
        "select 'oddswire_' || md5(current_schema()) as channel",
      );
      await client.query(`listen ${client.escapeIdentifier(rows[0]?.channel ?? '')}`);
      this.#schedule(() => this.#check(client), CHECK_EVERY_MS);
    } catch {
      this.#drop(client);
    }
  }

  async #check(client: pg.Client): Promise<void> {
    try {
      await client.query('select 1');
      this.#schedule(() => this.#check(client), CHECK_EVERY_MS);
    } catch {
      this.#drop(client);
    }
  }

  /** Closes a failed connection and schedules a new one. */
  #drop(client = this.#client): void {
    if (client === undefined || client !== this.#client) return;
    this.#client = undefined;
    client.connection.stream.destroy();
    if (!this.#closed) this.#schedule(() => this.#connect(), RECONNECT_EVERY_MS);
  }

  #schedule(work: () => Promise<void>, ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void work(), ms);
    this.#timer.unref();
  }
}

/** Splits an invalidation so that each chunk fits into one notification. */
function chunksOf(invalidation: Invalidation): readonly Invalidation[] {
  if (invalidation.changed === 'feed') return [invalidation];
  const chunks: Invalidation[] = [];
  for (let from = 0; from < invalidation.keys.length; from += KEYS_PER_MESSAGE) {
    const keys: readonly KeyHash[] = invalidation.keys.slice(from, from + KEYS_PER_MESSAGE);
    chunks.push({ changed: 'account', keys });
  }
  return chunks;
}
