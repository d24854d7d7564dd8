import { expect } from 'chai';
import { checkStream } from '../../../src/application/limits/check-stream.js';
import type { Gate, GateEntry } from '../../../src/application/ports/keys/gate.js';
import { PLANS } from '../../../src/domain/billing/plan.js';
import type { KeyHash } from '../../../src/domain/keys/key-value.js';
import { MICROSECOND, plus } from '../../../src/domain/moment.js';
import { account, key, NOON, suspendedBy } from '../../support/objects/builders.js';
import { REVOKED } from '../../support/objects/gateway.js';
import { inGrace } from '../../support/objects/key-states.js';

const HASH = 'hash' as KeyHash;
const { subscription } = account({ plan: 'builder' });
const ACTIVE: GateEntry = { key: { ...key('k1'), controls: null }, subscription };
const ADMITTED = {
  subscription: subscription.id,
  allowed: PLANS.builder.streams,
  endsAt: null,
  controls: null,
};
const { worksUntil: graceEnds } = inGrace;

const withKey = (more: Partial<GateEntry['key']>): GateEntry => ({
  ...ACTIVE,
  key: { ...ACTIVE.key, ...more },
});
const withSubscription = (more: Partial<GateEntry['subscription']>): GateEntry => ({
  ...ACTIVE,
  subscription: { ...subscription, ...more },
});

describe('The key of an open stream (D52)', () => {
  const check = (entry: GateEntry | null, now = NOON) => {
    const gate: Gate = { find: (hash) => (hash === HASH ? entry : null) };
    return checkStream({ gate, plans: PLANS, clock: () => now })(HASH);
  };

  const cases: Readonly<Record<string, readonly [entry: GateEntry | null, answer: object]>> = {
    'may do what its plan allows': [ACTIVE, ADMITTED],
    'works until the end of its grace window (D22)': [
      withKey({ state: inGrace }),
      { ...ADMITTED, endsAt: graceEnds },
    ],
    'is refused if it does not exist any more': [null, { refused: 'key_unknown' }],
    'is refused after its revocation': [withKey({ state: REVOKED }), { refused: 'key_revoked' }],
    'is refused while it is suspended': [
      withKey({ state: suspendedBy('manual_hold') }),
      { refused: 'key_suspended', causes: ['manual_hold'] },
    ],
    'is refused while its subscription is suspended': [
      withSubscription({ suspension: suspendedBy('abuse') }),
      { refused: 'key_suspended', causes: ['abuse'] },
    ],
    'is refused without the scope of the feed': [withKey({ scopes: [] }), { refused: 'insufficient_scope' }],
  };
  for (const [title, [entry, answer]] of Object.entries(cases))
    it(title, async () => {
      expect(await check(entry)).to.deep.equal(answer);
    });

  it('is refused exactly at the end of its grace window (D22)', async () => {
    const entry = withKey({ state: inGrace });
    expect(await check(entry, plus(graceEnds, -MICROSECOND))).to.deep.include({ endsAt: graceEnds });
    expect(await check(entry, graceEnds)).to.deep.equal({ refused: 'key_revoked' });
  });
});
