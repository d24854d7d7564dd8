import type { LastNotice } from '../../domain/accounts/dependency-health.js';
import { retryAfter } from '../../domain/accounts/notice.js';
import { plus } from '../../domain/moment.js';
import type { Delivery, Mailer } from '../ports/accounts/mailer.js';
import type { Outbox, QueuedNotice } from '../ports/accounts/outbox.js';
import type { Clock } from '../ports/clock.js';
import type { ReportFailure } from '../report-failure.js';

/**
 * The number of notices that are claimed together. It is small: if the process is killed, nobody knows whether the
 * claimed notices were sent, and they are not sent delay.
 */
const BATCH = 10;

export type SendNoticesParts = {
  readonly outbox: Outbox;
  readonly mailer: Mailer;
  readonly clock: Clock;
  readonly note: (outcome: LastNotice['outcome']) => void;
  readonly reportFailure: ReportFailure;
};

/**
 * Sends due notices, at most one for each occasion. A notice that could not be sent is retried at growing intervals.
 */
export const sendNotices = (parts: SendNoticesParts) => {
  const { outbox, mailer, clock, note, reportFailure } = parts;

  /** A mailer throws only for a notice that it cannot write (`Mailer`): nothing was sent, and a corrected version may succeed. */
  const deliver = ({ id, notice }: QueuedNotice) =>
    mailer.send(notice).catch((fault: unknown): Delivery => {
      reportFailure(fault, { notice: id });
      return 'not now';
    });

  async function send(queued: QueuedNotice): Promise<void> {
    const { id, attempts } = queued;
    const delivery = await deliver(queued);
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
    const failed = (await Promise.allSettled(due.map(send))).find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
    return due.length === BATCH;
  };
};

/** Sends batches until no more notices are due. */
export async function sendAllNotices(send: ReturnType<typeof sendNotices>): Promise<void> {
  while (await send());
}
