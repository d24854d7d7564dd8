import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import pg from 'pg';
import {
  invalidationMessage,
  readInvalidationMessage,
  type SentInvalidation,
} from '../../application/keys/sent-invalidation.js';
import { Listeners } from '../../application/listeners.js';
import type { Invalidation, Invalidations } from '../../application/ports/invalidations.js';
import type { KeyHash } from '../../domain/keys/key-value.js';
import { clientConfig, REQUEST_PATIENCE } from './connection.js';

/** Postgres cuts a notification off at 8 000 bytes; a hash has 64. */
const KEYS_AT_ONCE = 100;
const RECONNECT_EVERY_MS = 500;
/** A connection that hears nothing cannot tell silence from absence: it is asked. */
const ASK_EVERY_MS = 1_000;

/** Hints between instances by `LISTEN` and `NOTIFY`, over a connection of their own. */
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

  /** Answers when hints of others are heard, or when the first attempt at it has failed; more follow. */
  start(): Promise<void> {
    return this.#connect();
  }

  /** Its own instance hears at once, also while the database is away; others through the database. */
  async send(invalidation: Invalidation): Promise<void> {
    this.#listeners.tell(invalidation);
    for (const piece of partsOf(invalidation)) {
      const sent: SentInvalidation = { from: this.#id, invalidation: piece };
      try {
        await this.#db.raw("select pg_notify('oddswire_' || md5(current_schema()), ?)", [
          invalidationMessage(sent),
        ]);
      } catch {
        // A hint that cannot be sent is lost: copies are read again soon enough (D39).
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

  #hear(payload: string): void {
    const sent = readInvalidationMessage(payload);
    if (sent !== null && sent.from !== this.#id) this.#listeners.tell(sent.invalidation);
  }

  async #connect(): Promise<void> {
    if (this.#closed) return;
    const client = new pg.Client(clientConfig(this.#url, REQUEST_PATIENCE));
    client.on('error', () => this.#drop(client));
    client.on('end', () => this.#drop(client));
    client.on('notification', ({ payload }) => this.#hear(payload ?? ''));
    this.#client = client;
    try {
      await client.connect();
      const { rows } = await client.query<{ channel: string }>(
        "select 'oddswire_' || md5(current_schema()) as channel",
      );
      await client.query(`listen ${client.escapeIdentifier(rows[0]?.channel ?? '')}`);
      this.#later(() => this.#ask(client), ASK_EVERY_MS);
    } catch {
      this.#drop(client);
    }
  }

  async #ask(client: pg.Client): Promise<void> {
    try {
      await client.query('select 1');
      this.#later(() => this.#ask(client), ASK_EVERY_MS);
    } catch {
      this.#drop(client);
    }
  }

  /** Ends a connection that is of no use any more, and soon makes another. */
  #drop(client = this.#client): void {
    if (client === undefined || client !== this.#client) return;
    this.#client = undefined;
    client.connection.stream.destroy();
    if (!this.#closed) this.#later(() => this.#connect(), RECONNECT_EVERY_MS);
  }

  #later(work: () => Promise<void>, ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void work(), ms);
    this.#timer.unref();
  }
}

/** A signal in pieces that each fit a notification. */
function partsOf(invalidation: Invalidation): readonly Invalidation[] {
  if (invalidation.changed === 'feed') return [invalidation];
  const parts: Invalidation[] = [];
  for (let from = 0; from < invalidation.keys.length; from += KEYS_AT_ONCE) {
    const keys: readonly KeyHash[] = invalidation.keys.slice(from, from + KEYS_AT_ONCE);
    parts.push({ changed: 'account', keys });
  }
  return parts;
}
