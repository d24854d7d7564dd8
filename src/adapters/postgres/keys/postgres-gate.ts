import type { Knex } from 'knex';
import type { Gate, GateEntry } from '../../../application/ports/keys/gate.js';
import type { KeyHash } from '../../../domain/keys/key-value.js';
import { type AccountBody, accountOf } from '../accounts/account-body.js';
import { withErrorMapping } from '../unavailable-database.js';

/** Bounds the size of one answer: an account has a few kilobytes. */
const HASHES_PER_READ = 500;
/** While one read is under way, the next can begin. More would only make the reads smaller. */
const READS_MAX = 2;

type LookUp = {
  readonly hash: KeyHash;
  readonly done: (body: AccountBody | null) => void;
  readonly fail: (fault: unknown) => void;
};

/**
 * The gate on Postgres: look-ups in the unique index of key hashes. Look-ups that wait at the same time share one query,
 * because most of the cost is the cost of a query: many keys that are first used at the same time wait for few of them.
 *
 * A look-up joins only a read that has not begun: otherwise a change that was committed before the look-up could be missed.
 */
export class PostgresGate implements Gate {
  readonly #db: Knex;
  /** The look-ups whose read has not begun, in the order of the calls. */
  readonly #waiting: LookUp[] = [];
  #reads = 0;

  constructor(db: Knex) {
    this.#db = db;
  }

  async find(hash: KeyHash): Promise<GateEntry | null> {
    const body = await this.#bodyOf(hash);
    if (body === null) return null;
    const account = accountOf(body);
    const key = account.keys.find((other) => other.hash === hash);
    if (key === undefined) return null;
    const { id, state, scopes } = key;
    return { key: { id, state, scopes }, subscription: account.subscription };
  }

  #bodyOf(hash: KeyHash): Promise<AccountBody | null> {
    return new Promise((done, fail) => {
      this.#waiting.push({ hash, done, fail });
      // After all input of this turn of the event loop is read, so that its look-ups share one read.
      if (this.#waiting.length === 1) setImmediate(() => this.#beginReads());
    });
  }

  #beginReads(): void {
    while (this.#waiting.length > 0 && this.#reads < READS_MAX) {
      this.#reads += 1;
      void this.#read(this.#waiting.splice(0, HASHES_PER_READ)).finally(() => {
        this.#reads -= 1;
        this.#beginReads();
      });
    }
  }

  /** Settles every look-up. An error fails only these. */
  async #read(lookUps: readonly LookUp[]): Promise<void> {
    try {
      const hashes = lookUps.map(({ hash }) => hash);
      const { rows } = await withErrorMapping(async () => keysQuery(this.#db, hashes));
      const bodies = new Map(rows.map(({ hash, body }) => [hash, body]));
      for (const { hash, done } of lookUps) done(bodies.get(hash) ?? null);
    } catch (fault) {
      for (const { fail } of lookUps) fail(fault);
    }
  }
}

/** `body` is null if no key has the hash. */
type KeyRow = { readonly hash: KeyHash; readonly body: AccountBody | null };

/**
 * The account of the key with each hash. The subquery makes Postgres use the indexes for every hash; for a join with many
 * hashes it would scan both tables if it estimates them to be small.
 */
export const keysQuery = (
  db: Knex,
  hashes: readonly KeyHash[],
): Knex.Raw<{ readonly rows: readonly KeyRow[] }> =>
  db.raw(
    `select wanted.hash, (
       select account.body from api_key join account on account.id = api_key.account_id
       where api_key.hash = wanted.hash
     ) as body
     from unnest(?::text[]) as wanted (hash)`,
    [[...hashes]],
  );
