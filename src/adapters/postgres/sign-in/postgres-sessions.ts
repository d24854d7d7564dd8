import type { Knex } from 'knex';
import type { Sessions } from '../../../application/ports/sign-in/sessions.js';
import type { Moment } from '../../../domain/moment.js';
import { type Session, type SessionHolder, sessionEndsAt } from '../../../domain/sign-in/session.js';
import type { SecretHash } from '../../../domain/sign-in/sign-in.js';
import { withErrorMapping } from '../unavailable-database.js';

type Row = { readonly holder: SessionHolder; readonly started_at: Moment; readonly seen_at: Moment };

/** Sessions in Postgres. Every page reads its session, so an ended session is invalid on all instances at once. */
export class PostgresSessions implements Sessions {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  async start(hash: SecretHash, session: Session): Promise<void> {
    const { holder, startedAt, seenAt } = session;
    await withErrorMapping(() =>
      this.#db('session').insert({
        hash,
        holder_name: nameOf(holder),
        holder: JSON.stringify(holder),
        started_at: startedAt,
        seen_at: seenAt,
        ends_at: sessionEndsAt(session),
      }),
    );
  }

  async find(hash: SecretHash): Promise<Session | null> {
    const row = await withErrorMapping<Row | undefined>(() =>
      this.#db('session').where({ hash }).first('holder', 'started_at', 'seen_at'),
    );
    if (row === undefined) return null;
    return { holder: row.holder, startedAt: row.started_at, seenAt: row.seen_at };
  }

  async note(hash: SecretHash, seenAt: Moment): Promise<void> {
    const session = await this.find(hash);
    if (session === null) return;
    await withErrorMapping(() =>
      this.#db('session')
        .where({ hash })
        .where('seen_at', '<', seenAt)
        .update({ seen_at: seenAt, ends_at: sessionEndsAt({ ...session, seenAt }) }),
    );
  }

  async end(hash: SecretHash): Promise<void> {
    await withErrorMapping(() => this.#db('session').where({ hash }).delete());
  }

  async endAll(holder: SessionHolder): Promise<void> {
    await withErrorMapping(() => deleteSessions(this.#db, holder));
  }
}

/** Deletes all sessions of one holder. */
export const deleteSessions = (db: Knex, holder: SessionHolder): Promise<unknown> =>
  db('session')
    .where({ holder_name: nameOf(holder) })
    .delete();

const nameOf = (holder: SessionHolder): string =>
  holder.kind === 'account' ? `account/${holder.account}` : `operator/${holder.name}`;
