import { expect } from 'chai';
import fc from 'fast-check';
import { type ApiKey, GRACE, type KeyState } from '../../../src/domain/keys/api-key.js';
import { closedKeys, listedKeys, REVOKED_KEYS_LISTED } from '../../../src/domain/keys/listed-keys.js';
import { type Moment, plus } from '../../../src/domain/moment.js';
import { account, issued, NOON, runs, suspendedBy } from '../../support/objects/builders.js';

const [KEY] = issued(account(), NOON, 'k').keys as readonly [ApiKey];

const revoked = (worksUntil: Moment, held = false): KeyState => ({
  ...{ status: 'revoked', cause: 'rotation', revokedAt: NOON },
  ...{ worksUntil, held },
});
const FINAL = revoked(NOON);
const keys = (...states: readonly KeyState[]): readonly ApiKey[] =>
  states.map((state, n) => ({ ...KEY, id: `key ${n}` as ApiKey['id'], state }));

describe('The keys that an account lists', () => {
  const others: readonly (readonly [string, KeyState])[] = [
    ['active', { status: 'active' }],
    ['suspended', suspendedBy('abuse')],
    ['in its grace window', revoked(plus(NOON, GRACE))],
    ['revoked under a hold', revoked(NOON, true)],
  ];
  for (const [what, state] of others)
    it(`have each that is ${what}, however many came after it`, () => {
      const all = keys(state, ...Array<KeyState>(REVOKED_KEYS_LISTED + 5).fill(FINAL));
      expect(listedKeys(all, NOON)).to.deep.equal([all[0], ...all.slice(-REVOKED_KEYS_LISTED)]);
    });

  it('have a key whose grace window has ended only among the last 20', () => {
    const all = keys(revoked(plus(NOON, GRACE)), ...Array<KeyState>(REVOKED_KEYS_LISTED).fill(FINAL));
    expect(listedKeys(all, plus(NOON, GRACE - 1))).to.deep.equal(all);
    expect(listedKeys(all, plus(NOON, GRACE))).to.deep.equal(all.slice(1));
  });

  it('are in the order of issue, and with the closed ones they are all keys', () => {
    const states = fc.array(fc.constantFrom(FINAL, FINAL, FINAL, ...others.map(([, state]) => state)), {
      maxLength: 80,
    });
    fc.assert(
      fc.property(states, (some) => {
        const all = keys(...some);
        const listed = listedKeys(all, NOON);
        const closed = closedKeys(all, listed);
        expect(all.filter(({ id }) => listed.some((key) => key.id === id))).to.deep.equal(listed);
        expect(listed.length + closed.length).to.equal(all.length);
        expect(closed.every(({ state, label }) => state === FINAL && label === null)).to.equal(true);
        const isFinal = ({ state }: ApiKey) => state === FINAL;
        expect(listed.filter(isFinal).length).to.equal(
          Math.min(REVOKED_KEYS_LISTED, all.filter(isFinal).length),
        );
      }),
      runs(200),
    );
  });
});
