import { expect } from 'chai';
import { shownInHistory } from '../../../../src/domain/feed/history/shown-in-history.js';
import { NO_FILTER } from '../../../../src/domain/feed/stream-filter.js';

const item = (...subMarketIds: readonly string[]) => ({ subMarketIds, json: Buffer.from('{}') });
const EVERYTHING = NO_FILTER;
const ofMarket = { ...EVERYTHING, marketIds: new Set(['m']) };
const WITHOUT = { shown: null, isMissing: false };

describe('What the history shows of a change', () => {
  const cases = [
    [
      'a version whole without a filter',
      EVERYTHING,
      { id: 'a', kind: 'published', item: item('m') },
      { shown: 'whole', isMissing: false },
    ],
    [
      'a version narrowed to the markets of the filter',
      ofMarket,
      { id: 'a', kind: 'published', item: item('m', 'n') },
      { shown: ['m'], isMissing: false },
    ],
    [
      'nothing of a publication that does not pass',
      ofMarket,
      { id: 'a', kind: 'published', item: item('n') },
      null,
    ],
    [
      'a replacement that does not pass without its item',
      ofMarket,
      { id: 'a', kind: 'replaced', item: item('n') },
      WITHOUT,
    ],
    ['every retraction', ofMarket, { id: 'a', kind: 'retracted' }, WITHOUT],
    ['every purge', ofMarket, { id: 'a', kind: 'purged' }, WITHOUT],
    [
      'a purged version without its item',
      EVERYTHING,
      { id: 'a', kind: 'published', item: 'purged' },
      WITHOUT,
    ],
    [
      'that a version was never stored',
      EVERYTHING,
      { id: 'a', kind: 'published', item: 'missing' },
      { shown: null, isMissing: true },
    ],
  ] as const;
  for (const [title, filter, change, expected] of cases)
    it(`is ${title}`, () => expect(shownInHistory(filter, change)).to.deep.equal(expected));
});
