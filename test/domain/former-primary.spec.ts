import { expect } from 'chai';
import fc from 'fast-check';
import {
  type KnownTimelines,
  type ServerHistory,
  serverVerdict,
  withTimelines,
} from '../../src/domain/former-primary.js';
import { runs } from '../support/objects/builders.js';

const NOTHING: KnownTimelines = new Map();

describe('A former primary (D75)', () => {
  const server = (system: string, timeline: number | null): ServerHistory => ({ system, timeline });
  // biome-ignore format: a table is read by its columns
  const VERDICTS: readonly (readonly [string, known: readonly (readonly [string, number])[], ServerHistory | null, string])[] = [
    ['the first server',                             [],                   server('a', 1),    'current'],
    ['the timeline that is known',                   [['a', 2]],           server('a', 2),    'current'],
    ['a greater timeline',                           [['a', 2]],           server('a', 3),    'current'],
    ['a smaller timeline',                           [['a', 2]],           server('a', 1),    'former'],
    ['a smaller timeline, beside another system',    [['a', 2], ['b', 1]], server('a', 1),    'former'],
    ['a smaller timeline of another system',         [['a', 2]],           server('b', 1),    'current'],
    ['a standby',                                    [['a', 2]],           server('a', null), 'unknown'],
    ['a database without timelines',                 [['a', 2]],           null,              'unknown'],
  ];
  for (const [what, known, history, verdict] of VERDICTS) {
    it(`is judged: ${what} is ${verdict}`, () =>
      expect(serverVerdict(new Map(known), history)).to.equal(verdict));
  }

  const seen = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.integer({ min: 1, max: 9 })));

  it('is a server of whose system a greater timeline was seen, in any order and however often', () => {
    fc.assert(
      fc.property(seen, seen, fc.constantFrom('a', 'b', 'c'), fc.integer({ min: 1, max: 9 }), (...given) => {
        const [before, after, system, timeline] = given;
        const known = [...before, ...after, ...before].reduce(
          (all, one) => withTimelines(all, [one]),
          NOTHING,
        );
        const shuffled = withTimelines(withTimelines(NOTHING, after), before);
        const isFormer = [...before, ...after].some((one) => one[0] === system && one[1] > timeline);
        for (const each of [known, shuffled])
          expect(serverVerdict(each, { system, timeline })).to.equal(isFormer ? 'former' : 'current');
      }),
      runs(200),
    );
  });

  it('changes nothing that is known if nothing new was seen', () => {
    fc.assert(
      fc.property(seen, (timelines) => {
        const known = withTimelines(NOTHING, timelines);
        expect(withTimelines(known, timelines)).to.equal(known);
        expect(withTimelines(known, [])).to.equal(known);
      }),
      runs(200),
    );
  });
});
