import { expect } from 'chai';
import { OpenPages, type PageRequest } from '../../../src/adapters/dashboard/feed/open-pages.js';
import type { Collected } from '../../../src/application/ports/destinations/feed-batches.js';
import { Unavailable } from '../../../src/application/unavailable.js';
import type { AccountId } from '../../../src/domain/accounts/account.js';
import { OPEN_PAGES_MAX, PAGES_PER_ACCOUNT } from '../../../src/domain/feed/open-pages.js';
import { NO_MARK, type Position, positionToken } from '../../../src/domain/feed/position.js';
import { NO_FILTER } from '../../../src/domain/feed/stream-filter.js';

const at = (n: number): Position => ({ n, mark: NO_MARK });

/** A feed of numbered changes; each one is a message. */
class Changes {
  newestNumber = 0;
  fault: Error | null = null;
  isOther = false;

  newest(): Position {
    if (this.fault !== null) throw this.fault;
    return at(this.newestNumber);
  }

  isValid(): boolean {
    return !this.isOther;
  }

  async collect(_: unknown, from: Position, { messages }: { messages: number }): Promise<Collected> {
    const until = Math.min(this.newestNumber, from.n + messages);
    const numbers = Array.from({ length: until - from.n }, (__, i) => Buffer.from(`${from.n + 1 + i}`));
    const isEnd = until === this.newestNumber;
    return { until: at(until), messages: numbers, isEnd, firstKnownAt: null };
  }
}

describe('An open page of the feed', () => {
  const opened = (from = 0, asked: Partial<PageRequest> = {}) => {
    const changes = new Changes();
    let isDraining = false;
    const feedBatches = changes as ConstructorParameters<typeof OpenPages>[0]['feedBatches'];
    const pages = new OpenPages({ feedBatches, isDraining: () => isDraining }, 1);
    const open = (more: Partial<PageRequest> = {}) => {
      const page = pages.open({
        ...{ account: 'one' as AccountId, from: at(from), filter: NO_FILTER },
        ...{ isAllowed: async () => true, eventOf: (text: string) => `data: ${text}\n\n` },
        ...asked,
        ...more,
      });
      if (page === null) throw new Error('refused');
      return page;
    };
    const drain = () => {
      isDraining = true;
    };
    return { changes, open, drain };
  };
  /** The events up to one with this text. */
  const readUntil = async (events: AsyncGenerator<string>, text: string): Promise<string> => {
    let read = '';
    while (!read.includes(text)) {
      const { value, done } = await events.next();
      if (done === true) throw new Error(`ended: ${read}`);
      read += value;
    }
    return read;
  };
  const numbersIn = (text: string) => [...text.matchAll(/^data: (\d+)$/gm)].map(([, n]) => Number(n));

  it('gets each change once and in order, with its position after the batch', async () => {
    const { changes, open } = opened(3);
    const { events, figures } = open();
    changes.newestNumber = 120;
    const text = await readUntil(events, positionToken(at(120)));
    expect(numbersIn(text)).to.deep.equal(Array.from({ length: 117 }, (_, i) => i + 4));
    expect(text).to.match(/^retry: 1000\n\n/);
    expect(text.indexOf('id: ')).to.be.greaterThan(text.indexOf('data: 4\n'));
    changes.newestNumber = 121;
    expect(numbersIn(await readUntil(events, positionToken(at(121))))).to.deep.equal([121]);
    expect(figures()).to.deep.include({ form: 'sse', items: 118, position: positionToken(at(121)) });
    await events.return(undefined);
  });

  it('waits while the feed or the session cannot be read', async () => {
    let isAway = true;
    const { changes, open } = opened(0, {
      isAllowed: async () => {
        if (isAway) throw new Unavailable('the sessions');
        return true;
      },
    });
    const { events } = open();
    changes.fault = new Unavailable('the feed');
    await readUntil(events, 'retry');
    await readUntil(events, 'heartbeat');
    [changes.fault, changes.newestNumber, isAway] = [null, 1, false];
    expect(numbersIn(await readUntil(events, positionToken(at(1))))).to.deep.equal([1]);
  });

  it('ends with its reason: the session, a change of the store, too many changes, other pages', async () => {
    const ends: readonly (readonly [string, (changes: Changes) => Partial<PageRequest>])[] = [
      ['signed_out', () => ({ isAllowed: async () => false })],
      [
        'behind',
        (changes) => {
          changes.isOther = true;
          return {};
        },
      ],
      [
        'behind',
        (changes) => {
          changes.newestNumber = 501;
          return {};
        },
      ],
    ];
    for (const [reason, prepare] of ends) {
      const { changes, open } = opened();
      const { events, figures } = open(prepare(changes));
      await readUntil(events, `event: closing\ndata: ${reason}\n\n`);
      expect((await events.next()).done).to.equal(true);
      expect(figures().reason).to.equal(reason);
    }
    const { open } = opened();
    const [first, ...others] = Array.from({ length: PAGES_PER_ACCOUNT + 1 }, () => open());
    const other = open({ account: 'other' as AccountId });
    await readUntil(first?.events ?? other.events, 'data: replaced');
    for (const { events } of [...others, other]) await readUntil(events, 'heartbeat');
  });

  it('frees its room when its browser is gone, also before it has read anything', async () => {
    const { open } = opened();
    for (let i = 0; i <= OPEN_PAGES_MAX; i += 1) open({ account: `${i}` as AccountId }).close();
    const last = Array.from({ length: OPEN_PAGES_MAX }, (_, i) => open({ account: `${i}` as AccountId }));
    expect(() => open({ account: 'beyond' as AccountId })).to.throw('refused');
    last[0]?.close();
    open({ account: 'beyond' as AccountId });
  });

  it('ends without an event when the service stops, so that the browser connects again', async () => {
    const { open, drain } = opened();
    const { events } = open();
    await readUntil(events, 'retry');
    drain();
    expect((await events.next()).done).to.equal(true);
  });
});
