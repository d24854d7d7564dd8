import { retryAfter } from '../../domain/accounts/notice.js';
import { plus } from '../../domain/moment.js';
import type { Mailer } from '../ports/accounts/mailer.js';
import type { Outbox, QueuedNotice } from '../ports/accounts/outbox.js';
import type { Clock } from '../ports/clock.js';

/** Notices claimed at a time. Few, because the claimed ones are in doubt when the process is killed. */
const BATCH = 10;

/** Sends due notices, each at most once for its occasion. Failed ones are retried at growing intervals. */
export const sendNotices = (parts: {
  readonly outbox: Outbox;
  readonly mailer: Mailer;
  readonly clock: Clock;
  readonly note: (outcome: 'sent' | 'put back' | 'refused' | 'in doubt') => void;
}) => {
  const { outbox, mailer, clock, note } = parts;

  async function send({ id, notice, attempts }: QueuedNotice): Promise<void> {
    const delivery = await mailer.send(notice);
    const again = delivery === 'not now' ? retryAfter(attempts) : null;
    if (again !== null) {
      await outbox.putBack(id, plus(clock(), again));
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
