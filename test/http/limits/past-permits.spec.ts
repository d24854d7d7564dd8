import { expect } from 'chai';
import { ask, type Composed, type Holder } from '../../support/service/composed.js';
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
  before(async () => {
    let answered = Promise.resolve();
    ({ service, holder } = await newsService(['ne_1'], {}, ({ feedPast }) => ({
      feedPast: () => ({
        find: async (asOf) => {
          asked += 1;
          await answered;
          return feedPast.find(asOf);
        },
        page: (range, at) => feedPast.page(range, at),
        changes: (reading) => feedPast.changes(reading),
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
  });
  after(() => service.stop());

  const read = (path: string) =>
    ask(`${service.url}${path}`, { headers: { 'X-API-Key': holder.value, Accept: 'application/json' } });
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
});
