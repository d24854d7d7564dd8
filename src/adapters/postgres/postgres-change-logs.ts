import type pg from 'pg';
import type {
  AccountChange,
  ChangeLogs,
  FeedChange,
  LogPositions,
  LogsRead,
} from '../../application/ports/change-logs.js';
import type { LogStart } from '../../application/ports/feed/feed-history.js';
import { NotNow, Unavailable } from '../../application/unavailable.js';
import { type Position, samePosition } from '../../domain/feed/position.js';
import type { KeyHash } from '../../domain/keys/key-value.js';
import type { Moment } from '../../domain/moment.js';
import { newSession, REQUEST_TIMEOUTS } from './connection.js';
import { storedPosition } from './feed/feed-queries.js';
import { withErrorMapping } from './unavailable-database.js';

/** The most changes of each log in one read. */
const CHANGES_MAX = 1_000;
/** A read must end within this time, including the time to connect. */
const READ_MS = 1_000;

type Log = 'accounts' | 'feed';

type Row = {
  readonly log: Log;
  readonly n: number;
  readonly mark: Buffer | null;
  /** The account, or the item. */
  readonly subject: string | null;
  readonly hashes: readonly KeyHash[] | null;
  readonly kind: string | null;
  readonly scored_at: Moment | null;
  readonly known_at: Moment | null;
};

/**
 * Reads both logs in one statement, and therefore from one snapshot. It reads the change at each position again: if it has
 * another mark, or is gone, the store is no longer the one that was read.
 */
export const READ = `
select * from (
  select 'accounts' as log, n, mark, account_id as subject, hashes, null as kind, null::timestamptz as scored_at,
    null::timestamptz as known_at
  from account_change where n >= $1 order by n limit ${CHANGES_MAX + 1}
) as accounts
union all
select * from (
  select 'feed' as log, n, mark, item_id as subject, null::text[] as hashes, kind, scored_at,
    coalesce(known_at, at) as known_at
  from feed_change where n >= $2 order by n limit ${CHANGES_MAX + 1}
) as feed`;

/**
 * Empty until the triggers exist. A restore that is not one transaction creates them last: copies that are loaded earlier
 * would lack the rows that it restores later, because no change logs them.
 */
export const NEWEST = `
with restored as (
  select from pg_trigger where tgrelid = to_regclass('account') and tgname = 'account_logged'
)
(select 'accounts' as log, n, mark from account_change where exists (select from restored) order by n desc limit 1)
union all
(select 'feed' as log, n, mark from feed_change order by n desc limit 1)`;

export const OLDEST = `
select (select min(n) from account_change) as accounts, (select min(n) from feed_change) as feed`;

/** The change logs in Postgres, read over a connection outside the pool: a read must not wait for other queries. */
export class PostgresChangeLogs implements ChangeLogs {
  readonly #url: string;
  #client: pg.Client | undefined;
  /** Makes the read that is under way fail. */
  #abandon: () => void = () => {};
  #isClosed = false;

  constructor(url: string) {
    this.#url = url;
  }

  newest(): Promise<LogPositions> {
    return this.#read(async (client) => {
      const { rows } = await client.query<Pick<Row, 'log' | 'n' | 'mark'>>(NEWEST);
      const of = (log: Log): Position => {
        const row = rows.find((each) => each.log === log);
        if (row === undefined)
          throw new NotNow('Postgres', new Error(`the log of ${log} is empty, or its trigger is missing`));
        return storedPosition(row.n, row.mark);
      };
      return { accounts: of('accounts'), feed: of('feed') };
    });
  }

  readAfter(positions: LogPositions): Promise<LogsRead> {
    return this.#read(async (client) => {
      const values = [positions.accounts.n, positions.feed.n];
      const { rows } = await client.query<Row>(READ, values);
      const accounts = rows.filter(({ log }) => log === 'accounts').sort((a, b) => a.n - b.n);
      const feed = rows.filter(({ log }) => log === 'feed').sort((a, b) => a.n - b.n);
      const isSame = isAt(accounts, positions.accounts) && isAt(feed, positions.feed);
      return isSame ? changesIn(accounts, feed) : whyGone(client, values);
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#drop();
  }

  /** Runs one read. If it fails or is abandoned, its connection is not used again. */
  #read<T>(query: (client: pg.Client) => Promise<T>): Promise<T> {
    this.#abandon();
    if (this.#isClosed) return Promise.reject(new NotNow('Postgres', new Error('it was closed')));
    return new Promise<T>((done, fail) => {
      let isOver = false;
      const end = (settle: () => void) => {
        if (isOver) return;
        isOver = true;
        clearTimeout(timer);
        settle();
      };
      const giveUp = (fault: Unavailable) =>
        end(() => {
          this.#drop();
          fail(fault);
        });
      const late = new Unavailable('Postgres', new Error(`no answer within ${READ_MS} ms`));
      // An answer that has arrived already must count, so the event loop reads the sockets first (T17).
      const timer = setTimeout(() => setImmediate(giveUp, late), READ_MS);
      this.#abandon = () => giveUp(new NotNow('Postgres', new Error('a new read was started')));
      withErrorMapping(() => this.#run(query)).then(
        (found) => end(() => done(found)),
        (fault: unknown) => end(() => fail(fault)),
      );
    });
  }

  async #run<T>(query: (client: pg.Client) => Promise<T>): Promise<T> {
    const client = this.#client ?? newSession(this.#url, REQUEST_TIMEOUTS);
    try {
      if (client !== this.#client) await this.#connect(client);
      return await query(client);
    } catch (fault) {
      this.#drop(client);
      throw fault;
    }
  }

  async #connect(client: pg.Client): Promise<void> {
    this.#client = client;
    client.on('error', () => this.#drop(client));
    client.on('end', () => this.#drop(client));
    await client.connect();
    await refuseStandby(client);
  }

  #drop(client = this.#client): void {
    if (client === undefined || client !== this.#client) return;
    this.#client = undefined;
    client.connection.stream.destroy();
  }
}

/**
 * Refuses a standby, to which a proxy can connect during a failover. It may still replay transactions that it has received,
 * so a change that it lacks is not lost yet (D45). A server that is promoted stays so until it is stopped.
 */
async function refuseStandby(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ readonly is_standby: boolean }>(
    'select pg_is_in_recovery() as is_standby',
  );
  if (rows[0]?.is_standby) throw new NotNow('Postgres', undefined, 'is a standby that is not promoted');
}

/** Whether the first row is the change at this position. A change without a mark is at no position. */
const isAt = ([first]: readonly Row[], position: Position): boolean =>
  first !== undefined && first.mark !== null && samePosition(storedPosition(first.n, first.mark), position);

function changesIn(accounts: readonly Row[], feed: readonly Row[]): LogsRead {
  const isComplete = accounts.length <= CHANGES_MAX && feed.length <= CHANGES_MAX;
  const [lastOfAccounts, lastOfFeed] = [
    accounts.slice(0, CHANGES_MAX).at(-1),
    feed.slice(0, CHANGES_MAX).at(-1),
  ];
  return {
    found: 'changes',
    accounts: accounts.slice(1, CHANGES_MAX).map(accountChangeOf),
    feed: feed.slice(1, CHANGES_MAX).flatMap((row) => {
      const change = feedChangeOf(row);
      return change.kind === 'start' ? [] : [change];
    }),
    positions: { accounts: positionOfRow(lastOfAccounts), feed: positionOfRow(lastOfFeed) },
    isComplete,
  };
}

/** Removed changes are older than all that are left. */
async function whyGone(client: pg.Client, [accounts = 0, feed = 0]: readonly number[]): Promise<LogsRead> {
  const { rows } = await client.query<{ readonly accounts: number; readonly feed: number }>(OLDEST);
  const [oldest] = rows;
  const isExpired = oldest !== undefined && (oldest.accounts > accounts || oldest.feed > feed);
  return { found: isExpired ? 'expired' : 'older state' };
}

const positionOfRow = (row: Row | undefined): Position => storedPosition(row?.n ?? 0, row?.mark ?? null);

/** A row without an account is written instead of very many rows. */
const accountChangeOf = ({ subject, hashes }: Row): AccountChange => ({
  keys: subject === null ? 'all' : (hashes ?? []),
});

export type FeedChangeRow = Pick<Row, 'n' | 'mark' | 'kind' | 'subject' | 'scored_at' | 'known_at'>;

/** A change of the previous version has no kind. It may have replaced an item, so it counts as a replacement. */
export function feedChangeOf({
  n,
  mark,
  kind,
  subject,
  scored_at: scoredAt,
  known_at: knownAt,
}: FeedChangeRow): FeedChange | LogStart {
  const position = storedPosition(n, mark);
  if (kind === 'start') return { position, kind };
  if (scoredAt === null) return { position, knownAt, kind: 'retracted', id: subject ?? '' };
  if (kind === 'raised') return { position, knownAt, kind, head: scoredAt };
  const isNew = kind === 'published';
  return { position, knownAt, kind: isNew ? 'published' : 'replaced', id: subject ?? '', scoredAt };
}
