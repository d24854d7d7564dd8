import { expect } from 'chai';
import fc from 'fast-check';
import { greaterHead, type HeadChange, headAfter } from '../../../src/domain/feed/head-after.js';
import { type Moment, plus } from '../../../src/domain/moment.js';
import { NOON, runs } from '../../support/objects/builders.js';

const at = (micros: number): Moment => plus(NOON, micros);

describe('The head after a change (D7)', () => {
  // biome-ignore format: a table is read by its columns
  const rows: readonly (readonly [head: Moment | null, change: HeadChange, after: Moment | null])[] = [
    [null,  { kind: 'published', scoredAt: at(1) },  at(1)],
    [at(1), { kind: 'published', scoredAt: at(2) },  at(2)],
    [at(2), { kind: 'published', scoredAt: at(1) },  at(2)],
    [at(1), { kind: 'replaced', scoredAt: at(2) },   at(2)],
    [at(2), { kind: 'replaced', scoredAt: at(1) },   at(2)],
    [at(1), { kind: 'raised', head: at(2) },         at(2)],
    [null,  { kind: 'raised', head: at(2) },         at(2)],
    [at(1), { kind: 'retracted' },                   at(1)],
    [null,  { kind: 'retracted' },                   null],
    [null,  { kind: 'start' },                       null],
  ];
  for (const [head, change, after] of rows) {
    it(`is ${after} after ${JSON.stringify(change)} on ${head}`, () => {
      expect(headAfter(head, change)).to.equal(after);
    });
  }

  it('is the greatest of all times, in whatever order they come', () => {
    const heads = fc.array(fc.option(fc.nat(50).map(at), { nil: null }), { maxLength: 10 });
    fc.assert(
      fc.property(heads, (all) => {
        const times = all.flatMap((head) => head ?? []).sort();
        expect(all.reduce(greaterHead, null)).to.equal(times.at(-1) ?? null);
      }),
      runs(200),
    );
  });
});
