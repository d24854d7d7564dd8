import { expect } from 'chai';
import { SharedPages } from '../../../../src/adapters/caching/feed/shared-pages.js';
import type { FeedPageSnapshot } from '../../../../src/application/ports/feed/feed-store.js';
import { Unavailable } from '../../../../src/application/unavailable.js';
import { LAST_MOMENT } from '../../../../src/domain/moment.js';
import { nextImmediate } from '../../../support/next-immediate.js';
import { EVERYTHING } from '../../../support/objects/listed-items.js';

const OTHER = { ...EVERYTHING, before: LAST_MOMENT };

/** A store whose reads end when the test says so. */
function opened() {
  const reads: { readonly end: (page: FeedPageSnapshot) => void; readonly fail: (fault: Error) => void }[] =
    [];
  const page = () =>
    new Promise<FeedPageSnapshot>((end, fail) => {
      reads.push({ end, fail });
    });
  const pageOf = (name: string) => ({ name }) as unknown as FeedPageSnapshot;
  return { reads, pageOf, shared: new SharedPages({ page }, () => performance.now()) };
}

describe('Pages that a store reads for requests with a cursor', () => {
  it('are read after the request: those that come during a read share the next one', async () => {
    const { reads, pageOf, shared } = opened();
    const [first, second, third] = [
      shared.nextPage(EVERYTHING),
      shared.nextPage(EVERYTHING),
      shared.nextPage(EVERYTHING),
    ];
    const other = shared.nextPage(OTHER);
    expect(reads).to.have.length(2);
    reads[0]?.end(pageOf('one'));
    reads[1]?.end(pageOf('other'));
    expect([await first, await other]).to.deep.equal([pageOf('one'), pageOf('other')]);
    await nextImmediate();
    expect(reads).to.have.length(3);
    reads[2]?.end(pageOf('two'));
    expect([await second, await third]).to.deep.equal([pageOf('two'), pageOf('two')]);
    await nextImmediate();
    void shared.nextPage(EVERYTHING);
    expect(reads).to.have.length(4);
  });

  it('are read again after a read that failed, whatever the fault', async () => {
    for (const fault of [new Unavailable('a store'), new Error('a bug')]) {
      const { reads, pageOf, shared } = opened();
      const outcome = (page: Promise<unknown>) => page.catch((thrown: unknown) => thrown);
      const [first, second] = [outcome(shared.nextPage(EVERYTHING)), outcome(shared.nextPage(EVERYTHING))];
      reads[0]?.fail(fault);
      expect(await first).to.equal(fault);
      await nextImmediate();
      reads[1]?.end(pageOf('one'));
      expect(await second).to.deep.equal(pageOf('one'));
      await nextImmediate();
      void shared.nextPage(EVERYTHING);
      expect(reads).to.have.length(3);
    }
  });
});
