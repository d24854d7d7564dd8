import { retryAfter } from '../../domain/accounts/notice.js';
import { plus } from '../../domain/moment.js';
import type { Mailer } from '../ports/accounts/mailer.js';
import type { Outbox, QueuedNotice } from '../ports/accounts/outbox.js';
import type { Clock } from '../ports/clock.js';

/** Notices claimed at a time: few, so that little is in doubt when the process is killed. */
const BATCH = 10;

/** Sends what is due, each at most once for its occasion; what could not be sent is tried again, ever later. */
export const sendNotices = (parts: {
  readonly outbox: Outbox;
  readonly mailer: Mailer;
  readonly clock: Clock;
  readonly note: (how: 'sent' | 'put back' | 'refused' | 'in doubt') => void;
}) => {
  const { outbox, mailer, clock, note } = parts;

  async function send({ id, notice, attempts }: QueuedNotice): Promise<void> {
    const delivery = await mailer.send(notice);
    const again = delivery === 'not now' ? retryAfter(attempts) : null;
    if (again !== null) {
      await outbox.putBack(id, plus(clock(), again));
      return note('put back');
    }
    const how = delivery === 'not now' ? 'refused' : delivery;
    await outbox.close(id, how);
    note(how);
  }

  /** Sends some; answers whether there may be more. */
  return async function sendNotices(): Promise<boolean> {
    const due = await outbox.claim(clock(), BATCH);
    await Promise.all(due.map(send));
    return due.length === BATCH;
  };
};
