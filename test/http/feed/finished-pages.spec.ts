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
const inMemory = (read: ReturnType<typeof page>, bytesOf = whole) => ({
  page: read,
  bytesOf,
  version: read.items.map(({ json }) => ` ${json}`).join(''),
});

describe('Finished pages', () => {
  const [one, two, three] = [item(1), item(2), item(3)] as const;

  it('contain the items and the cursor, and have a tag of their bytes', () => {
    const { body, tag } = new FinishedPages().of(inMemory(page([two, one], true)), null);
    expect(body.toString()).to.equal('{"items":["2","1"],"next_cursor":null}');
    expect(tag).to.match(/^W\/".+"$/);
  });

  it('are built once for the same items, and known from the second request for them on', () => {
    const pages = new FinishedPages();
    const found = [1, 2, 3].map(() => pages.of(inMemory(page([two, one])), null));
    expect(found.map(({ isKnown }) => isKnown)).to.deep.equal([false, true, true]);
    expect(new Set(found.map(({ body }) => body)).size).to.equal(1);
  });

  it('are built for each request, and never known, if their items do not stay in memory', () => {
    const pages = new FinishedPages();
    const stored = { ...inMemory(page([two, one])), version: null };
    const found = [1, 2, 3].map(() => pages.of(stored, null));
    expect(found.map(({ isKnown }) => isKnown)).to.deep.equal([false, false, false]);
    expect(new Set(found.map(({ body }) => body)).size).to.equal(3);
    expect(new Set(found.map(({ tag }) => tag)).size).to.equal(1);
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
    for (const _ of [1, 2]) for (const each of all) pages.of(inMemory(each), null);
    const bodies = all.map((each) => pages.of(inMemory(each), null).body.toString());
    expect(new Set(bodies).size).to.equal(all.length);
    expect(new Set(all.map((each) => pages.of(inMemory(each), null).tag)).size).to.equal(all.length);
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
      [1, 2, 3].map(() => pages.of(inMemory(asked, narrowed(market)), market).body.toString());
    for (const market of ['a', 'b', null, 'a', 'null']) {
      expect(new Set(bodiesOf(market))).to.deep.equal(
        new Set([`{"items":["${market} 2","${market} 1"],"next_cursor":"${one.scoredAt}"}`]),
      );
    }
    // Each name of a market makes another empty page, so the cache bounds their number.
    const few = new FinishedPages(10_000);
    const empty = inMemory(page([], true));
    const [first] = ['a', 'b', 'c', 'd', 'e', 'f'].map((market) => few.of(empty, market).body);
    expect(few.of(empty, 'f').body).to.equal(few.of(empty, 'f').body);
    expect(few.of(empty, 'a').body).not.to.equal(first);
    const narrow = sinon.spy(whole);
    for (const _ of [1, 2, 3]) pages.of(inMemory(page([two, one]), narrow), 'c');
    expect(narrow.callCount).to.equal(2);
  });
});
