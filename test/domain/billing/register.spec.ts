import { expect } from 'chai';
import fc from 'fast-check';
import { newerWins, type Register } from '../../../src/domain/billing/register.js';
import { plus, SECOND } from '../../../src/domain/moment.js';
import { NOON, runs } from '../../support/objects/builders.js';

type Text = Register<string>;
const report = (event: string, value: string, more: Partial<Text> = {}): Text => ({
  ...{ value, event, at: NOON, rank: 0 },
  ...more,
});
const merged = (...all: readonly Text[]): Text => all.reduce((a, b) => newerWins(a, b));

describe('Of two events in the same second (D29)', () => {
  // biome-ignore format: a table is read by its columns
  const rows: readonly (readonly [what: string, last: Text, ...others: Text[]])[] = [
    ['the creation never wins',                        report('1', 'active'), report('2', 'incomplete', { created: true })],
    ['the one that names the value of the other wins', report('1', 'active', { previous: 'incomplete' }), report('2', 'incomplete')],
    ['a chain of named values is followed to its end', report('1', 'c', { previous: 'b' }), report('3', 'a'), report('2', 'b', { previous: 'a' })],
    ['the greater id wins if each names the other',    report('2', 'b', { previous: 'a' }), report('1', 'a', { previous: 'b' })],
    ['the greater id wins if nothing tells an order',  report('2', 'b'), report('1', 'a')],
    ['a provisional value loses',                      report('1', 'past_due'), report('2', 'trialing', { provisional: true })],
  ];
  for (const [what, last, ...others] of rows)
    it(what, () => {
      for (const all of [
        [last, ...others],
        [...others, last],
      ])
        expect(merged(...all)).to.include({ value: last.value, event: last.event });
    });

  it('a provisional value loses to an older one too, and holds while there is no other', () => {
    const provisional = report('9', 'trialing', { provisional: true, at: plus(NOON, SECOND) });
    expect(merged(provisional, report('1', 'active')).value).to.equal('active');
    expect(merged(provisional, report('1', 'paused', { provisional: true })).value).to.equal('trialing');
  });

  it('the result is the same in every order, also of repeated events', () => {
    const value = fc.constantFrom('a', 'b', 'c');
    const facts = fc.record(
      {
        ...{ value, second: fc.nat(1), created: fc.constant(true as const), previous: value },
        provisional: fc.constant(true as const),
      },
      { requiredKeys: ['value', 'second'] },
    );
    const events = fc
      .array(facts, { minLength: 1, maxLength: 6 })
      .map((some) =>
        some.map(({ second, ...more }, n) =>
          report(`${n}`, 'a', { ...more, at: plus(NOON, second * SECOND) }),
        ),
      );
    const orders = events.chain((all) =>
      fc.tuple(
        fc.constant(all),
        fc.shuffledSubarray([...all, ...all], { minLength: all.length * 2, maxLength: all.length * 2 }),
      ),
    );
    fc.assert(
      fc.property(orders, ([all, others]) => {
        expect(merged(...others)).to.deep.equal(merged(...all));
      }),
      runs(500),
    );
  });
});
