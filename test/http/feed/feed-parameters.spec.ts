import { expect } from 'chai';
import fc from 'fast-check';
import type { FeedParameter } from '../../../src/adapters/http/feed/feed-parameter.js';
import {
  HISTORY_PARAMETERS,
  LOGGED_PARAMETERS,
  MARKETS_PARAMETERS,
  PAGE_PARAMETERS,
  STREAM_PARAMETERS,
} from '../../../src/adapters/http/feed/feed-parameters.js';
import { runs } from '../../support/objects/builders.js';
import { isValidBy } from '../../support/objects/parameter-schemas.js';

const TABLES: Readonly<Record<string, Readonly<Record<string, FeedParameter<unknown>>>>> = {
  pages: PAGE_PARAMETERS,
  streams: STREAM_PARAMETERS,
  history: HISTORY_PARAMETERS,
  markets: MARKETS_PARAMETERS,
};

/** Texts that parameters accept, with small changes, and any others. */
const text = fc.oneof(
  fc.constantFrom(
    '1',
    '0',
    '501',
    '007',
    '-1',
    '1e2',
    'a',
    'a,b',
    'a,,b',
    'x'.repeat(257),
    '\u0000',
    'fed rates',
  ),
  fc.constantFrom('2026-01-31', '2026-01-31T12:00:00Z', '2026-02-31', 'a,'.repeat(10), 'a b c d e', ' - '),
  fc.string({ unit: 'grapheme' }),
);

/** The value that the schema of a parameter describes: a number, a list, or a text. */
const describedValue = ({ schema, valuesMax }: FeedParameter<unknown>, sent: string): unknown => {
  if (schema['type'] === 'integer') return /^\d{1,3}$/.test(sent) && !/^0\d/.test(sent) ? Number(sent) : sent;
  return valuesMax === undefined ? sent : [sent];
};

describe('The parameters of the feed', () => {
  for (const [table, rows] of Object.entries(TABLES))
    for (const [name, row] of Object.entries(rows))
      it(`are read as their schemas describe them: ${name} of ${table}`, () => {
        const isValid = isValidBy(row.schema);
        const property = fc.property(text, (sent) => {
          const isRead = !('code' in row.read(sent));
          // Leading zeros are read up to the digits of the maximum (D13); a JSON number has none.
          fc.pre(!/^0\d/.test(sent));
          expect(isRead, sent).to.equal(isValid(describedValue(row, sent)));
        });
        fc.assert(property, runs(200));
      });

  it('are in the access log, but for the words that a customer wrote', () => {
    const names = Object.values(TABLES).flatMap((rows) => Object.keys(rows));
    expect(new Set(names.filter((name) => !LOGGED_PARAMETERS.includes(name)))).to.deep.equal(
      new Set(['q', 'ref', 'venue', 'source', 'author', 'market']),
    );
  });
});
