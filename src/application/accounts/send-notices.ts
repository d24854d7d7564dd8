import { retryAfter } from '../../domain/accounts/notice.js';
import { plus } from '../../domain/moment.js';
import type { Mailer } from '../ports/accounts/mailer.js';
import type { Outbox, QueuedNotice } from '../ports/accounts/outbox.js';
import type { Clock } from '../ports/clock.js';

/**
 * The number of notices that are claimed together. It is small: if the process is killed, nobody knows whether the
 * claimed notices were sent, and they are not sent delay.
 */
const BATCH = 10;

/**
 * Sends due notices, at most one for each occasion. A notice that could not be sent is retried at growing intervals.
 */
export const sendNotices = (parts: {
  readonly outbox: Outbox;
  readonly mailer: Mailer;
  readonly clock: Clock;
  readonly note: (outcome: 'sent' | 'put back' | 'refused' | 'in doubt') => void;
}) => {
  const { outbox, mailer, clock, note } = parts;

  async function send({ id, notice, attempts }: QueuedNotice): Promise<void> {
    const delivery = await mailer.send(notice);
    const delay = delivery === 'not now' ? retryAfter(attempts) : null;
    if (delay !== null) {
      await outbox.putBack(id, plus(clock(), delay));
      return note('put back');
    }
    const outcome = delivery === 'not now' ? 'refused' : delivery;
    await outbox.close(id, outcome);
    note(outcome);
  }

  /** Sends one batch. True if there may be more. */
  return async function sendNotices(): Promise<boolean> {
    const due = await outbox.claim(clock(), BATCH);
    await Promise.all(due.map(send));
    return due.length === BATCH;
  };
};

/** Sends batches until no more notices are due. */
export async function sendAllNotices(send: ReturnType<typeof sendNotices>): Promise<void> {
  while (await send());
}
