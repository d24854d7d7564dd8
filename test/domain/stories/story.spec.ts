import { expect } from 'chai';
import { moveOf, type StoryEffect } from '../../../src/domain/stories/story.js';

const BASE = { on: 'x', relevance: 'high', because: ['It does.'] } as const;

describe('The move of a price after an effect', () => {
  const cases: readonly (readonly [StoryEffect, number])[] = [
    [{ ...BASE, outcome: 'YES', effect: 'supports', points: 4 }, 4],
    [{ ...BASE, outcome: 'NO', effect: 'supports', points: 4 }, -4],
    [{ ...BASE, outcome: 'YES', effect: 'weakens', points: 4 }, -4],
    [{ ...BASE, outcome: 'NO', effect: 'weakens', points: 4 }, 4],
    [{ ...BASE, outcome: 'YES', effect: 'neutral' }, 0],
  ];
  for (const [effect, move] of cases)
    it(`is ${move} for ${effect.effect} ${effect.outcome}`, () => {
      expect(moveOf(effect)).to.equal(move);
    });
});
