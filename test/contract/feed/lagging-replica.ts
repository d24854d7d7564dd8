import type { Knex } from 'knex';
import { type FeedState, readPageOf } from '../../../src/adapters/postgres/feed/feed-queries.js';
import { readFilteredPageOf } from '../../../src/adapters/postgres/feed/filtered-pages.js';
import type { FeedPageSnapshot, FeedRange } from '../../../src/application/ports/feed/feed-store.js';

/** The number of pages that are read from one snapshot before it is renewed. */
const PAGES_OF_A_SNAPSHOT = 3;

/** A database like a lagging replica: several pages come from one snapshot, whatever is written in the meantime. */
export class LaggingReplica {
  readonly #db: Knex;
  #snapshot: Knex.Transaction | null = null;
  #pages = 0;
  #reading: Promise<unknown> = Promise.resolve();

  constructor(db: Knex) {
    this.#db = db;
  }

  /** Serialised, because a snapshot must not end while a page is read. */
  readonly page = (range: FeedRange): Promise<FeedPageSnapshot & FeedState> => {
    const page = this.#reading.then(() => this.#read(range));
    this.#reading = page.catch(() => {});
    return page;
  };

  async close(): Promise<void> {
    await this.#reading;
    await this.#snapshot?.rollback();
  }

  async #read(range: FeedRange): Promise<FeedPageSnapshot & FeedState> {
    if (this.#pages % PAGES_OF_A_SNAPSHOT === 0) {
      await this.#snapshot?.rollback();
      this.#snapshot = await this.#db.transaction({ isolationLevel: 'repeatable read' });
    }
    this.#pages += 1;
    const read = range.terms.length > 0 ? readFilteredPageOf : readPageOf;
    return read(this.#snapshot ?? this.#db, range);
  }
}
