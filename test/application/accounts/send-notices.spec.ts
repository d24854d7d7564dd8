import { expect } from 'chai';
import { MemoryOutbox } from '../../../src/adapters/memory/accounts/memory-outbox.js';
import { sendNotices } from '../../../src/application/accounts/send-notices.js';
import type { Delivery } from '../../../src/application/ports/accounts/mailer.js';
import type { AccountId } from '../../../src/domain/accounts/account.js';
import type { Notice } from '../../../src/domain/accounts/notice.js';
import { DAY, MINUTE, plus } from '../../../src/domain/moment.js';
import { NOON } from '../../support/objects/builders.js';

const notice = (occasion: string): Notice => ({
  to: 'ada@example.org',
  occasion,
  news: { kind: 'canceled' },
});

describe('Notices', () => {
  const sent: string[] = [];
  const noted: string[] = [];
  const reported: object[] = [];
  const clock = { at: NOON };
  let outbox: MemoryOutbox;
  let delivery: Delivery;
  let send: () => Promise<void>;
  let some: () => Promise<boolean>;
  beforeEach(() => {
    sent.length = 0;
    noted.length = 0;
    reported.length = 0;
    clock.at = NOON;
    delivery = 'sent';
    outbox = new MemoryOutbox();
    some = sendNotices({
      outbox,
      mailer: {
        send: async ({ occasion }) => {
          if (occasion === 'cannot be written') throw new Error('no template');
          sent.push(occasion);
          return delivery;
        },
      },
      clock: () => clock.at,
      note: (how) => noted.push(how),
      reportFailure: (_, of) => reported.push(of),
    });
    send = async () => {
      while (await some());
    };
  });
  const add = (...occasions: readonly string[]) =>
    outbox.add('acc_1' as AccountId, occasions.map(notice), NOON);

  it('are sent once each, even by two concurrent senders', async () => {
    add(...Array.from({ length: 25 }, (_, i) => `occasion ${i}`));
    await Promise.all([send(), send()]);
    await send();
    expect(new Set(sent).size).to.equal(25);
    expect(sent).to.have.length(25);
    expect(noted).to.have.length(25);
  });

  it('are sent in batches, so that a shutdown need not wait for all', async () => {
    add(...Array.from({ length: 25 }, (_, i) => `occasion ${i}`));
    expect([await some(), sent.length]).to.deep.equal([true, 10]);
    expect([await some(), await some(), sent.length]).to.deep.equal([true, false, 25]);
  });

  it('are retried at growing intervals if they are not accepted now, and given up in the end', async () => {
    delivery = 'not now';
    add('one');
    await send();
    await send();
    expect([sent.length, noted]).to.deep.equal([1, ['put back']]);
    clock.at = plus(NOON, MINUTE);
    await send();
    expect(sent).to.have.length(2);
    for (let days = 1; days < 30; days += 1) {
      clock.at = plus(NOON, days * DAY);
      await send();
    }
    expect(sent).to.have.length(8);
    expect(noted.at(-1)).to.equal('refused');
  });

  it('do not wait for one that cannot be written, which is reported and tried again', async () => {
    add('cannot be written', 'one', 'another');
    await send();
    expect([sent, noted]).to.deep.equal([
      ['one', 'another'],
      ['put back', 'sent', 'sent'],
    ]);
    expect(reported).to.deep.equal([{ notice: 'acc_1/cannot be written' }]);
    clock.at = plus(NOON, MINUTE);
    await send();
    expect(reported).to.have.length(2);
  });

  it('are not retried if they were refused for good, or may have arrived', async () => {
    for (const how of ['refused', 'in doubt'] as const) {
      delivery = how;
      add(how);
      await send();
      clock.at = plus(clock.at, 10 * DAY);
      await send();
    }
    expect(sent).to.deep.equal(['refused', 'in doubt']);
    expect(noted).to.deep.equal(['refused', 'in doubt']);
  });
});
