import { expect } from 'chai';
import { ChangeEntry } from '../../../src/adapters/live/changes/change-entry.js';
import { FilterIndex } from '../../../src/adapters/live/filter-index.js';
import type { Stream } from '../../../src/adapters/live/stream.js';
import type { StoredChange } from '../../../src/application/ports/feed/feed-history.js';
import { termOf } from '../../../src/domain/feed/filters/item-terms.js';
import { listedItem, published, raised, replaced, retracted } from '../../support/live/stored-changes.js';
import { openStreamOf } from '../../support/streams/open-streams.js';

const STREAMS: Readonly<Record<string, Stream>> = {
  all: openStreamOf(),
  m1: openStreamOf({ markets: ['m1'] }),
  'm1 and m2': openStreamOf({ markets: ['m1', 'm2'] }),
  m3: openStreamOf({ markets: ['m3'] }),
  fed: openStreamOf({ terms: [[termOf('relevance', 'high')], [termOf('word', 'fed')]] }),
  'economy or sports': openStreamOf({
    terms: [[termOf('category', 'economy'), termOf('category', 'sports')]],
  }),
  'event a': openStreamOf({ newsId: 'a' }),
  'event b and m1': openStreamOf({ newsId: 'b', markets: ['m1'] }),
};
const ALL = Object.keys(STREAMS);
/** Those without a filter by another news event than `a`. */
const OF_A = ALL.filter((name) => name !== 'event b and m1');

const publishedWith = (news_event: object) => {
  const json = Buffer.from(JSON.stringify({ news_event }));
  return published(1, 'a', { item: { ...listedItem('a', 1), json } });
};

describe('The index of streams by their filters', () => {
  let index: FilterIndex<Stream>;
  beforeEach(() => {
    index = new FilterIndex<Stream>();
    for (const stream of Object.values(STREAMS)) index.add(stream);
  });

  /** The names of the streams that are woken, each once. */
  const woken = (change: StoredChange) => {
    const found = new Set<Stream>();
    index.each([new ChangeEntry(change, 0)], (stream) => found.add(stream));
    return ALL.filter((name) => found.has(STREAMS[name] as Stream));
  };
  const remove = (name: string) => index.remove(STREAMS[name] as Stream);

  const cases: readonly (readonly [title: string, change: StoredChange, streams: readonly string[]])[] = [
    [
      'a publication: those that it passes',
      published(1, 'a', { markets: ['m1'] }),
      ['all', 'm1', 'm1 and m2', 'event a'],
    ],
    [
      'a publication with several markets',
      published(1, 'a', { markets: ['m2', 'm3'] }),
      ['all', 'm1 and m2', 'm3', 'event a'],
    ],
    ['a publication without a market', published(1, 'a'), ['all', 'event a']],
    ['a publication of another event', published(1, 'b'), ['all', 'event b and m1']],
    ['a publication with a word', publishedWith({ headline: 'The Fed cuts' }), ['all', 'fed', 'event a']],
    [
      'a publication with a code and a word',
      publishedWith({ headline: 'Fed', feed_categories: ['sports', 'economy'] }),
      ['all', 'fed', 'economy or sports', 'event a'],
    ],
    ['a publication whose item has changed since', published(1, 'a', { item: null }), ['all', 'event a']],
    [
      'a replacement: all but those of other events, because it may be a retraction for them (D49)',
      replaced(1, 'a', { markets: ['m1'] }),
      OF_A,
    ],
    ['a retraction: all but those of other events (D49)', retracted(1, 'a'), OF_A],
    ['a raised head: none', raised(1), []],
  ];
  for (const [title, change, streams] of cases)
    it(`wakes for ${title}`, () => {
      expect(woken(change)).to.deep.equal(streams);
    });

  it('has no stream that was removed, and keeps the others of its market', () => {
    remove('m1 and m2');
    remove('all');
    remove('all');
    remove('event a');
    remove('event a');
    expect([
      index.size,
      woken(published(1, 'a', { markets: ['m1', 'm2'] })),
      woken(retracted(2, 'a')),
    ]).to.deep.equal([5, ['m1'], ['m1', 'm3', 'fed', 'economy or sports']]);
  });

  it('forgets the terms of a removed stream, and does not read those of items that no stream needs', () => {
    for (const name of ['fed', 'economy or sports']) remove(name);
    const entry = new ChangeEntry(publishedWith({ headline: 'Fed', feed_categories: ['sports'] }), 0);
    const before = entry.bytes;
    const found: Stream[] = [];
    index.each([entry], (stream) => found.push(stream));
    expect([found, entry.bytes]).to.deep.equal([[STREAMS['all'], STREAMS['event a']], before]);
  });

  it('reads the words of at most 20 items at once: with more, every stream with words is woken', () => {
    const named = (count: number) => {
      const change = publishedWith({ headline: 'Nothing that a stream asks for' });
      const entries = Array.from({ length: count }, () => new ChangeEntry(change, 0));
      const [before] = entries.map(({ bytes }) => bytes);
      const found = new Set<Stream>();
      index.each(entries, (stream) => found.add(stream));
      const isRead = entries.every(({ bytes }) => bytes !== before);
      return [isRead, ALL.filter((name) => found.has(STREAMS[name] as Stream))];
    };
    expect(named(20)).to.deep.equal([true, ['all', 'event a']]);
    expect(named(21)).to.deep.equal([false, ['all', 'fed', 'economy or sports', 'event a']]);
  });

  it('finds a stream by its new filter after it was removed and added', () => {
    const stream = openStreamOf({ markets: ['m1'] });
    index.add(stream);
    index.remove(stream);
    stream.filter = { ...stream.filter, marketIds: new Set(['m4']) };
    index.add(stream);
    const found: Stream[] = [];
    for (const market of ['m1', 'm4'])
      index.each([new ChangeEntry(published(1, 'a', { markets: [market] }), 0)], (one) => found.push(one));
    expect(found.filter((one) => one === stream)).to.have.length(1);
    expect([...index.all()]).to.have.length(9);
  });
});
