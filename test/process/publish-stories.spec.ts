import { expect } from 'chai';
import sinon from 'sinon';
import { MemoryFeedStore } from '../../src/adapters/memory/feed/memory-feed-store.js';
import { publishNews } from '../../src/application/feed/publish-news.js';
import { NEW_ITEM_EVERY_MS, publishStories } from '../../src/commands/demo/publish-stories.js';
import { NO_TERMS } from '../../src/domain/feed/filters/item-terms.js';
import { NOON } from '../support/objects/builders.js';
import { rightClock } from '../support/objects/right-clock.js';

describe('The publishing of the stories in the demo', () => {
  let timers: sinon.SinonFakeTimers;
  beforeEach(() => {
    timers = sinon.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  });
  afterEach(() => timers.restore());

  const EVERYTHING = { before: null, since: null, newsId: null, marketId: null, terms: NO_TERMS, count: 500 };

  async function start(otherLanguages = false) {
    const feed = new MemoryFeedStore();
    const clock = () => NOON;
    const errors: unknown[] = [];
    const log = { error: (...entry: unknown[]) => errors.push(entry) } as never;
    const goLive = await publishStories(
      { clock, feed, log, publishNews: publishNews({ feed, clock, clockCheck: rightClock }) },
      otherLanguages,
    );
    const ids = async () => (await feed.page(EVERYTHING)).items.map(({ id }) => id);
    return { goLive, ids, errors };
  }

  it('starts with the backlog, and publishes, replaces and retracts at each interval until it is stopped', async () => {
    const { goLive, ids, errors } = await start();
    const backlog = await ids();
    expect(backlog[0]).to.equal('ne_halvex-agreement');
    const stop = goLive();
    const seen: string[][] = [];
    for (let step = 0; step < 7; step += 1) {
      await timers.tickAsync(NEW_ITEM_EVERY_MS);
      seen.push((await ids()).slice(0, 2));
    }
    expect(seen.map(([newest]) => newest)).to.deep.equal([
      'ne_sundrel-inflation-release',
      'ne_halvex-insurers',
      'ne_sundrel-inflation-release',
      'ne_halvex-freighter-boarded',
      'ne_northern-cup-ban',
      'ne_northern-cup-ban',
      'ne_halvex-no-boarding',
    ]);
    expect(await ids()).to.have.length(backlog.length + 4);
    expect(await ids()).not.to.include('ne_halvex-freighter-boarded');
    stop();
    await timers.tickAsync(10 * NEW_ITEM_EVERY_MS);
    expect(await ids()).to.have.length(backlog.length + 4);
    expect(errors).to.deep.equal([]);
  });

  it('publishes new stories without end', async () => {
    const { goLive, ids, errors } = await start();
    const stop = goLive();
    await timers.tickAsync(200 * NEW_ITEM_EVERY_MS);
    const before = await ids();
    await timers.tickAsync(10 * NEW_ITEM_EVERY_MS);
    const added = (await ids()).filter((id) => !before.includes(id));
    expect(added).to.have.length.above(7);
    expect(added.filter((id) => !/-round-\d+$/.test(id))).to.deep.equal([]);
    expect(errors).to.deep.equal([]);
    stop();
  });

  it('has stories in other languages only on request', async () => {
    const english = await (await start()).ids();
    const all = await (await start(true)).ids();
    expect(all.filter((id) => !english.includes(id))).to.deep.equal([
      'ne_kirihama-yield-test',
      'ne_gas-cargoes',
    ]);
  });
});
