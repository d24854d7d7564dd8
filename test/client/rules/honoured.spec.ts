import { expect } from 'chai';
import { ignoredParameter } from '../../../packages/client/src/honoured.js';

type Case = readonly [query: object, headers: Readonly<Record<string, string>>, ignored: string | null];

// biome-ignore format: a table is read by its columns
const CASES: readonly Case[] = [
  [{},                                     {},                                       null],
  [{ limit: 1, market_id: 'a', cursor: 'c' }, {},                                    null],
  [{ q: 'word' },                          {},                                       'q'],
  [{ q: undefined },                       {},                                       null],
  [{ q: 'word' },                          { 'Feed-Filters': 'q' },                  null],
  [{ q: 'word', venue: ['a'] },            { 'Feed-Filters': 'q' },                  'venue'],
  [{ q: 'word', venue: ['a'] },            { 'Feed-Filters': 'q, venue' },           null],
  [{ source: 'a' },                        { 'Feed-Filters': 'source_tier' },        'source'],
  [{ as_of: 'p' },                         { 'Feed-Filters': 'as_of' },              'as_of'],
  [{ as_of: 'p' },                         { 'Feed-As-Of': 'p' },                    null],
  [{ toString: 'a' },                      {},                                       null],
];

describe('A parameter that an instance of an earlier version ignored', () => {
  for (const [query, headers, ignored] of CASES)
    it(`is ${ignored} of ${JSON.stringify(query)} with ${JSON.stringify(headers)}`, () => {
      expect(ignoredParameter({ ...query }, new Headers(headers))).to.equal(ignored);
    });
});
