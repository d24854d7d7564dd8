import { expect } from 'chai';
import fc from 'fast-check';
import { readArguments } from '../../../src/adapters/mcp/tool-arguments.js';

const KNOWN = {
  market_id: { kind: 'text', isRequired: true },
  cursor: { kind: 'text', isRequired: false },
  limit: { kind: 'count', isRequired: false },
} as const;

const codesOf = (sent: unknown) => {
  const read = readArguments(KNOWN, sent);
  return 'texts' in read ? [] : read.map(({ parameter, code }) => `${parameter}: ${code}`);
};

describe('The arguments of a tool', () => {
  it('are the texts and the count that were given', () => {
    const read = readArguments(KNOWN, { market_id: 'sm-1', limit: 3 });
    expect(read).to.deep.equal({ texts: new Map([['market_id', 'sm-1']]), count: 3 });
    expect(readArguments(KNOWN, { market_id: '' })).to.have.property('count', null);
  });

  // biome-ignore format: a table is read by its columns
  const ROWS: readonly (readonly [sent: unknown, faults: readonly string[]])[] = [
    [{},                                     ['market_id: missing']],
    [{ market_id: 1 },                       ['market_id: invalid_type']],
    [{ market_id: null },                    ['market_id: missing']],
    [{ market_id: 'a', cursor: null, limit: null }, []],
    [{ market_id: 'a', limit: 0 },           ['limit: out_of_range']],
    [{ market_id: 'a', limit: 26 },          ['limit: out_of_range']],
    [{ market_id: 'a', limit: 1.5 },         ['limit: out_of_range']],
    [{ market_id: 'a', limit: '5' },         ['limit: out_of_range']],
    [{ market_id: 'a', sort: 'x' },          ['sort: unknown_argument']],
    [{ market_id: 'a', constructor: 'x' },   ['constructor: unknown_argument']],
    [{ limit: 0, other: 1 },                 ['market_id: missing', 'limit: out_of_range', 'other: unknown_argument']],
    [[],                                     [': invalid_type']],
    ['market_id',                            [': invalid_type']],
    [null,                                   [': invalid_type']],
  ];
  for (const [sent, faults] of ROWS) {
    it(`${JSON.stringify(sent)}: ${faults.join(', ')}`, () => {
      expect(codesOf(sent)).to.deep.equal(faults);
    });
  }

  it('have at most 20 faults, with short names, whatever is sent', () => {
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`${'x'.repeat(500)}${i}`, i]));
    const read = readArguments(KNOWN, many);
    expect(JSON.stringify(read).length).to.be.below(5_000);
    fc.assert(fc.property(fc.jsonValue(), (sent) => codesOf(sent).length <= 20));
  });
});
