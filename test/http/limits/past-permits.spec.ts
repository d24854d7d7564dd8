import { expect } from 'chai';
import { Unavailable } from '../../../src/application/unavailable.js';
import { ask, type Composed, type Holder, publish } from '../../support/service/composed.js';
import { newsService } from '../../support/service/middleware.js';

const QUOTA = 1_000;

/** What reads of the past cost (docs/limits.md). */
describe('The permits of reads of the past (D34, D60, D61)', () => {
  let service: Composed;
  let holder: Holder;
  /** From now on the store answers only after `answer` is called. */
  let hold: () => void;
  let answer: () => void;
  let asked: number;
  /** Whether the store gives up its statements, as Postgres does after their timeout. */
  let isTooLate = false;
  before(async () => {
    let answered = Promise.resolve();
    const inTime = (): undefined => {
      if (isTooLate)
        throw new Unavailable('Postgres', new Error('canceling statement due to statement timeout'));
    };
    ({ service, holder } = await newsService(['ne_1'], {}, ({ feedPast }) => ({
      feedPast: () => ({
        find: async (asOf) => {
          asked += 1;
          await answered;
          return feedPast.find(asOf);
        },
        page: async (range, at) => inTime() ?? feedPast.page(range, at),
        changes: async (reading) => inTime() ?? feedPast.changes(reading),
        publishedPerMinute: (from) => feedPast.publishedPerMinute(from),
        last: (id) => feedPast.last(id),
        purges: (count) => feedPast.purges(count),
      }),
    })));
    hold = () => {
      answered = new Promise((done) => {
        answer = done;
      });
    };
  });
  beforeEach(() => {
    asked = 0;
    isTooLate = false;
  });
  after(() => service.stop());

  const read = (path: string, headers: Readonly<Record<string, string>> = {}) =>
    ask(`${service.url}${path}`, {
      headers: { 'X-API-Key': holder.value, Accept: 'application/json', ...headers },
    });
  const left = async () => {
    const usage = await read('/pm/v2/usage');
    return usage.json<{ limits: { remaining: number }[] }>().limits[0]?.remaining ?? QUOTA;
  };
  it('is nothing for a third read at once, which is refused before the store is asked', async () => {
    const before = await left();
    hold();
    const page = '/pm/v2/news?as_of=9999-01-01T00:00:00Z';
    const two = [read(page), read(page)];
    while (asked < 2) await new Promise(setImmediate);
    const third = await read(page);
    expect([third.status, third.headers['retry-after']]).to.deep.equal([429, '1']);
    expect(third.json<{ code: string }>().code).to.equal('too_many_reads');
    answer();
    expect((await Promise.all(two)).map(({ status }) => status)).to.deep.equal([200, 200]);
    expect(before - (await left())).to.equal(2);
  });

  it('is one for a time before the history, for which the store was asked', async () => {
    for (const path of ['/pm/v2/news?as_of=2001-01-01', '/pm/v2/history?since=2001-01-01']) {
      const before = await left();
      expect((await read(path)).json<{ code: string }>().code, path).to.equal('before_history');
      expect(before - (await left()), path).to.equal(1);
    }
  });

  it('is one for a page that the client has, because the store was asked (304)', async () => {
    const page = '/pm/v2/news?as_of=9999-01-01T00:00:00Z';
    const { etag = '' } = (await read(page)).headers;
    const before = await left();
    for (let times = 0; times < 3; times += 1)
      expect((await read(page, { 'If-None-Match': String(etag) })).status).to.equal(304);
    expect(before - (await left())).to.equal(3);
  });

  it('is one for a read that the store gives up after its timeout', async () => {
    isTooLate = true;
    for (const path of ['/pm/v2/news?as_of=9999-01-01T00:00:00Z', '/pm/v2/history']) {
      const before = await left();
      expect((await read(path)).status, path).to.equal(503);
      expect(before - (await left()), path).to.equal(1);
    }
  });

  it('is one for every 500 changes of a page whose filter passes nothing', async () => {
    await publish(service, ...Array.from({ length: 1_100 }, (_, i) => `many_${i}`));
    const before = await left();
    const page = (await read('/pm/v2/history?market_id=nowhere')).json<{ changes: []; complete: boolean }>();
    expect([page.changes, page.complete]).to.deep.equal([[], true]);
    expect(before - (await left())).to.equal(3);
  });
});
