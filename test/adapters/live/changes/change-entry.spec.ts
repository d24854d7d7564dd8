import { expect } from 'chai';
import { ChangeEntry } from '../../../../src/adapters/live/changes/change-entry.js';
import type { WireForm } from '../../../../src/adapters/live/messages/message.js';
import type { StoredChange } from '../../../../src/application/ports/feed/feed-history.js';
import { termOf } from '../../../../src/domain/feed/filters/item-terms.js';
import { NO_FILTER, type StreamFilter } from '../../../../src/domain/feed/stream-filter.js';
import {
  knownIn,
  listedItem,
  positionIn,
  published,
  raised,
  replaced,
  retracted,
  tokenIn,
} from '../../../support/live/stored-changes.js';

const entryOf = (change: StoredChange) => new ChangeEntry(change, 0);
const of = (...marketIds: readonly string[]): StreamFilter => ({
  ...NO_FILTER,
  marketIds: new Set(marketIds),
});
const MARKETS = { markets: ['a', 'b'] };
const FORMS: readonly WireForm[] = ['sse', 'sse-gzip', 'ws', 'ws-deflate'];

/** The JSON of the message for a filter; null if there is none. */
const sent = (entry: ChangeEntry, filter: StreamFilter): unknown => {
  const message = entry.messageFor(filter);
  return message === null ? null : JSON.parse(`${message.start}${message.content.text}`);
};
const whole = (n: number, markets: readonly string[]) => {
  const { scoredAt, json } = listedItem('i', n, markets);
  return {
    ...{ type: 'item', position: tokenIn(n), known_at: knownIn(n), scored_at: scoredAt },
    item: JSON.parse(json.toString()),
  };
};
const retraction = (n: number) => ({
  type: 'retraction',
  ...{ position: tokenIn(n), known_at: knownIn(n), id: 'i' },
});

describe('The message of a change (D49)', () => {
  // biome-ignore format: a table is read by its columns
  const rows: readonly (readonly [string, StoredChange, StreamFilter, unknown])[] = [
    ['the item of a publication',                       published(7, 'i', MARKETS),        NO_FILTER, whole(7, ['a', 'b'])],
    ['the item of a replacement',                       replaced(7, 'i', MARKETS),         NO_FILTER, whole(7, ['a', 'b'])],
    ['the item narrowed to the filter',                 published(7, 'i', MARKETS),        of('b'),   whole(7, ['b'])],
    ['nothing for an item that does not pass',          published(7, 'i', MARKETS),        of('c'),   null],
    ['a retraction for a replaced item that does not',  replaced(7, 'i', MARKETS),         of('c'),   retraction(7)],
    ['a retraction',                                    retracted(7, 'i'),                 NO_FILTER, retraction(7)],
    ['a retraction, whatever the filter is',            retracted(7, 'i'),                 of('c'),   retraction(7)],
    ['nothing for an item that has changed since',      published(7, 'i', { item: null }), NO_FILTER, null],
    ['nothing for a replaced item that has changed',    replaced(7, 'i', { item: null }),  of('c'),   null],
    ['nothing for a raised head',                       raised(7),                         NO_FILTER, null],
    ['nothing for the start of the log',                { kind: 'start', position: positionIn(0) }, NO_FILTER, null],
  ];
  for (const [name, change, filter, message] of rows) {
    it(`is ${name}`, () => {
      expect(sent(entryOf(change), filter)).to.deep.equal(message);
    });
  }

  it('is the same object for all filters that show the same of an item', () => {
    const entry = entryOf(published(7, 'i', MARKETS));
    expect(entry.messageFor(of('b'))).to.equal(entry.messageFor(of('c', 'b')));
    expect(entry.messageFor(NO_FILTER)).to.equal(entry.messageFor(NO_FILTER));
    const all = [NO_FILTER, of('a'), of('b'), of('a', 'b')].map((filter) => entry.messageFor(filter));
    expect(new Set(all)).to.have.property('size', 4);
    const left = entryOf(replaced(7, 'i', MARKETS));
    expect(left.messageFor(of('c'))).to.equal(left.messageFor(of('d')));
  });
});

describe('An entry', () => {
  it('has the number, the position, the id and the time of its change', () => {
    const entry = new ChangeEntry(retracted(7, 'i'), 123);
    expect([entry.n, entry.position, entry.id, entry.at]).to.deep.equal([7, positionIn(7), 'i', 123]);
    expect(entryOf(raised(8)).id).to.equal(null);
  });

  it('has one message for all filters that show an item in the same way, also by its terms (D57)', () => {
    const json = Buffer.from(JSON.stringify({ news_event: { headline: 'Fed cuts' } }));
    const entry = entryOf(published(7, 'i', { item: { ...listedItem('i', 7), json } }));
    const message = (...names: readonly string[]) =>
      entry.messageFor({ ...NO_FILTER, terms: names.map((name) => [termOf('word', name)]) });
    const { bytes } = entry;
    expect(message('none')).to.equal(null);
    expect(entry.bytes).to.be.greaterThan(bytes);
    expect([message('fed'), message('cuts', 'fed')]).to.deep.equal([message(), message()]);
    expect(message('fed')).to.equal(entry.messageFor(NO_FILTER));
    entry.supersede();
    expect([...entry.terms]).to.deep.equal([]);
  });

  it('has a copy of the item, whose messages are kept no longer than the entry', () => {
    const item = listedItem('i', 7);
    const { change } = entryOf(published(7, 'i', { item }));
    const kept = 'item' in change ? change.item : null;
    expect(kept).to.deep.equal(item);
    expect(kept).not.to.equal(item);
    expect(kept?.json).to.equal(item.json);
  });

  it('drops its item when it is superseded, and then has no message', () => {
    for (const change of [published(7, 'i', MARKETS), replaced(7, 'i', MARKETS)]) {
      const entry = entryOf(change);
      const empty = entryOf({ ...change, item: null } as StoredChange).bytes;
      for (const form of FORMS) entry.messageFor(NO_FILTER)?.frame(form);
      entry.supersede();
      expect(entry.change).to.deep.equal({ ...change, item: null });
      expect([sent(entry, NO_FILTER), sent(entry, of('c'))]).to.deep.equal([null, null]);
      expect(entry.bytes).to.equal(empty);
      entry.supersede();
      expect(entry.bytes).to.equal(empty);
    }
  });

  it('stays a retraction when it is superseded, because a filter may not pass the later change', () => {
    const entry = entryOf(retracted(7, 'i'));
    entry.supersede();
    expect(sent(entry, of('c'))).to.deep.equal(retraction(7));
  });

  it('counts its item, and each message and frame once they are made', () => {
    const entry = entryOf(published(7, 'i', { ...MARKETS, text: 'x'.repeat(5_000) }));
    let bytes = entry.bytes;
    expect(bytes).to.be.within(5_000, 6_000);
    entry.onGrowth((more) => {
      bytes += more;
    });
    const message = entry.messageFor(NO_FILTER) ?? expect.fail('no message');
    expect(bytes).to.be.within(10_000, 11_500);
    for (const form of FORMS) {
      const before = entry.bytes;
      const frame = message.frame(form);
      expect(entry.bytes - before, form).to.be.at.least(frame.length);
      const after = entry.bytes;
      message.frame(form);
      expect(entry.bytes, form).to.equal(after);
    }
    entry.messageFor(of('a'))?.frame('sse');
    expect(bytes).to.equal(entry.bytes);
    expect(bytes).to.be.within(30_000, 45_000);
    entry.supersede();
    expect(bytes).to.equal(entry.bytes);
  });

  it('does not count a frame that a stream makes after the item was dropped', () => {
    const entry = entryOf(published(7, 'i', MARKETS));
    const message = entry.messageFor(NO_FILTER);
    entry.supersede();
    const { bytes } = entry;
    message?.frame('sse');
    expect(entry.bytes).to.equal(bytes);
  });
});
