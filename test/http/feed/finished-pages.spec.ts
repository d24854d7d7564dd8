import { expect } from 'chai';
import sinon from 'sinon';
import { FinishedPages } from '../../../src/adapters/http/feed/finished-pages.js';
import type { RenderedItem } from '../../../src/application/ports/feed/feed-store.js';
import { MICROSECOND, plus } from '../../../src/domain/moment.js';
import { NOON } from '../../support/objects/builders.js';

const item = (n: number, text = `"${n}"`): RenderedItem => ({
  id: String(n),
  scoredAt: plus(NOON, n * MICROSECOND),
  json: Buffer.from(text),
});
const page = (items: readonly RenderedItem[], isLast = false) => ({
  items,
  nextCursor: isLast ? null : (items.at(-1)?.scoredAt ?? null),
});

const whole = ({ json }: RenderedItem) => json;

describe('Finished pages', () => {
  const [one, two, three] = [item(1), item(2), item(3)] as const;

  it('contain the items and the cursor, and have a tag of their bytes', () => {
    const { body, tag } = new FinishedPages().of(page([two, one], true), null, whole);
    expect(body.toString()).to.equal('{"items":["2","1"],"next_cursor":null}');
    expect(tag).to.match(/^W\/".+"$/);
  });

  it('are built once for the same items, from the second request for them on', () => {
    const pages = new FinishedPages();
    const bodies = [1, 2, 3, 4].map(() => pages.of(page([two, one]), null, whole).body);
    expect(bodies[1]).not.to.equal(bodies[0]);
    expect(bodies[2]).to.equal(bodies[1]);
    expect(bodies[3]).to.equal(bodies[1]);
    expect(bodies[0]?.equals(bodies[1] ?? Buffer.alloc(0))).to.equal(true);
  });

  it('differ for other items, another order, another end and a replaced item', () => {
    const pages = new FinishedPages();
    const replaced = item(2, '"2, replaced"');
    const all = [
      page([two, one]),
      page([two, one], true),
      page([three, two, one]),
      page([three, two]),
      page([one]),
      page([]),
      page([replaced, one]),
    ];
    for (const _ of [1, 2]) for (const each of all) pages.of(each, null, whole);
    const bodies = all.map((each) => pages.of(each, null, whole).body.toString());
    expect(new Set(bodies).size).to.equal(all.length);
    expect(new Set(all.map((each) => pages.of(each, null, whole).tag)).size).to.equal(all.length);
    expect(bodies[6]).to.include('2, replaced');
  });

  it('are built once for each market, separately from those of other markets and of all', () => {
    const pages = new FinishedPages();
    const narrowed =
      (market: string | null) =>
      ({ id }: RenderedItem) =>
        Buffer.from(`"${market} ${id}"`);
    const asked = page([two, one]);
    const bodiesOf = (market: string | null) =>
      [1, 2, 3].map(() => pages.of(asked, market, narrowed(market)).body.toString());
    for (const market of ['a', 'b', null, 'a', 'null']) {
      expect(new Set(bodiesOf(market))).to.deep.equal(
        new Set([`{"items":["${market} 2","${market} 1"],"next_cursor":"${one.scoredAt}"}`]),
      );
    }
    // Each name of a market makes another empty page, so the cache bounds their number.
    const few = new FinishedPages(10_000);
    const empty = page([], true);
    const [first] = ['a', 'b', 'c', 'd', 'e', 'f'].map((market) => few.of(empty, market, whole).body);
    expect(few.of(empty, 'f', whole).body).to.equal(few.of(empty, 'f', whole).body);
    expect(few.of(empty, 'a', whole).body).not.to.equal(first);
    const narrow = sinon.spy(whole);
    for (const _ of [1, 2, 3]) pages.of(page([two, one]), 'c', narrow);
    expect(narrow.callCount).to.equal(2);
  });
});
