import { expect } from 'chai';
import { Unavailable } from '../../../src/application/unavailable.js';
import { SUBSCRIPTION_STATES, type SubscriptionState } from '../../../src/domain/billing/subscription.js';
import { SUSPENSION_CAUSES } from '../../../src/domain/keys/suspension.js';
import { MICROSECOND, plus, SECOND } from '../../../src/domain/moment.js';
import { accepted, NOON, suspendedBy } from '../../support/objects/builders.js';
import {
  code,
  gatewayInMemory,
  HERE,
  type Parts,
  REVOKED,
  remaining,
  SMALL,
} from '../../support/objects/gateway.js';
import { aHolder, rewrite } from '../../support/service/accounts.js';

describe('The gateway', () => {
  const { service, open, ask, times, unknown, become } = gatewayInMemory();

  describe('admits', () => {
    it('a valid key, with the limits of its subscription and the permits that it took (contract section 5.5, D33)', async () => {
      const { key, value } = await aHolder(service(), 'builder');
      const admission = await ask(value);
      expect(admission).to.deep.include({ admitted: true, key: key.id });
      expect(admission.limits).to.deep.equal([
        {
          policy: { name: 'minute', quota: 600, seconds: 60 },
          endsAt: Date.parse('2026-03-01T12:01:00Z') / 1_000,
          secondsLeft: 60,
          remaining: 599,
        },
        {
          policy: { name: 'day', quota: 50_000, seconds: 86_400 },
          endsAt: Date.parse('2026-03-02T00:00:00Z') / 1_000,
          secondsLeft: 43_200,
          remaining: 49_999,
        },
      ]);
    });

    it('so that the permits of a request can be given back to their counters (D34)', async () => {
      const { value } = await aHolder(service(), 'free');
      const first = await ask(value);
      if (!first.admitted) throw new Error('not admitted');
      if (first.receipt === null) throw new Error('no permit');
      await service().counters.giveBack(first.receipt, 1);
      expect(remaining(await ask(value))).to.deep.equal({ minute: 59, day: 4_999 });
    });

    it('by the current limits of its plan in the current window, whatever they were before (D34)', async () => {
      const holder = await aHolder(service(), 'free');
      const admit = service().admitRequest();
      const quotas = async () => {
        const { limits } = await admit({
          key: service().keyOf(holder.value),
          address: HERE,
          source: '192.0.2.1',
          network: '192.0.2.0/24',
        });
        return limits.map(({ policy, remaining: left, endsAt }) => [policy.quota, left, endsAt]);
      };
      const minute = Date.parse('2026-03-01T12:01:00Z') / 1_000;
      const day = Date.parse('2026-03-02T00:00:00Z') / 1_000;
      expect(await quotas()).to.deep.equal([
        [60, 59, minute],
        [5_000, 4_999, day],
      ]);
      await rewrite(service(), holder.account.id, (account) => ({
        ...account,
        subscription: { ...account.subscription, plan: 'pro' },
      }));
      expect(await quotas()).to.deep.equal([
        [3_000, 2_998, minute],
        [1_000_000, 999_998, day],
      ]);
      service().clock.at = plus(NOON, 60 * SECOND);
      expect(await quotas()).to.deep.equal([
        [3_000, 2_999, minute + 60],
        [1_000_000, 999_997, day],
      ]);
    });

    it('and notes the use of the key, only for admitted requests', async () => {
      open(SMALL);
      const { key, value } = await aHolder(service(), 'free');
      expect((await service().keyUses.of([key.id])).size).to.equal(0);
      await ask(value);
      service().clock.at = plus(NOON, SECOND);
      await ask(value);
      service().clock.at = plus(NOON, 2 * SECOND);
      expect(code(await ask(value))).to.equal('rate_limited');
      expect((await service().keyUses.of([key.id])).get(key.id)).to.deep.equal({
        firstAt: NOON,
        lastAt: plus(NOON, SECOND),
      });
    });

    it('a rotated key until exactly 300 s after its revocation (D22)', async () => {
      const { key, value } = await aHolder(service());
      const successor = accepted(await service().rotateKey(key.id, null, 'customer'));
      accepted(await service().revokeKey(key.id, 'rotation', null, 'customer'));
      service().clock.at = plus(NOON, 300 * SECOND - MICROSECOND);
      expect(code(await ask(value))).to.equal('admitted');
      service().clock.at = plus(NOON, 300 * SECOND);
      expect(code(await ask(value))).to.equal('key_revoked');
      expect(code(await ask(successor.value))).to.equal('admitted');
    });

    it('a key without `markets.read`: the feed requires only `events.read` (D18)', async () => {
      const holder = await aHolder(service());
      await become(holder, { scopes: ['events.read'] });
      expect(code(await ask(holder.value))).to.equal('admitted');
    });
  });

  describe('refuses', () => {
    it('a request without a key as `key_missing`, one with an unknown key as `key_unknown` (D17)', async () => {
      const { value } = await aHolder(service());
      expect(code(await ask(null))).to.equal('key_missing');
      for (const unusable of ['', 'nonsense', value.slice(0, -1), `${value}A`, ` ${value}`, unknown()]) {
        expect(code(await ask(unusable)), unusable).to.equal('key_unknown');
      }
    });

    it('and returns the id of the key, if it exists', async () => {
      open(SMALL);
      const asked = async (credential: string | null) => (await ask(credential)).key;
      expect(await asked(null)).to.equal(null);
      for (const unusable of ['nonsense', unknown()]) expect(await asked(unusable)).to.equal(null);
      const faults: readonly Partial<Parts>[] = [
        { keyState: REVOKED },
        { suspension: suspendedBy('abuse') },
        { state: 'paused' },
        { scopes: [] },
      ];
      for (const parts of faults) {
        const holder = await aHolder(service());
        await become(holder, parts);
        expect(await asked(holder.value)).to.equal(holder.key.id);
      }
      const { key, value } = await aHolder(service(), 'free');
      await times(2, value);
      expect(code(await ask(value))).to.equal('rate_limited');
      expect(await asked(value)).to.equal(key.id);
    });

    it('a malformed key without a look-up, even while the store is unavailable (D17, D35)', async () => {
      const { value } = await aHolder(service());
      const gate = { find: () => Promise.reject(new Unavailable('accounts')) };
      const admit = service().admitRequest({ gate });
      const asked = async (credential: string | null) =>
        admit({
          key: service().keyOf(credential),
          address: HERE,
          source: '192.0.2.1',
          network: '192.0.2.0/24',
        });
      expect(code(await asked('nonsense'))).to.equal('key_unknown');
      expect(code(await asked(null))).to.equal('key_missing');
      expect(await asked(value).catch((fault: unknown) => fault)).to.be.instanceOf(Unavailable);
      expect(remaining(await asked(null))).to.deep.equal({ anonymous: 27 });
    });

    const byState: Record<SubscriptionState, string> = {
      trialing: 'admitted',
      active: 'admitted',
      incomplete: 'subscription_incomplete',
      paused: 'subscription_paused',
      unpaid: 'payment_required',
      canceled: 'key_revoked',
    };
    for (const state of SUBSCRIPTION_STATES) {
      it(`or admits, as D27 says, while the subscription is ${state}: ${byState[state]}`, async () => {
        const holder = await aHolder(service());
        await become(holder, { state });
        expect(code(await ask(holder.value))).to.equal(byState[state]);
      });
    }

    for (const cause of SUSPENSION_CAUSES) {
      it(`a key suspended for ${cause}, on itself or on its subscription, with the cause (D20, D21)`, async () => {
        for (const parts of [{ keyState: suspendedBy(cause) }, { suspension: suspendedBy(cause) }]) {
          const holder = await aHolder(service());
          await become(holder, parts);
          const refusal = { refused: 'key_suspended', causes: [cause] };
          expect(await ask(holder.value)).to.deep.include({ admitted: false, refusal });
        }
      });
    }

    it('a key with causes of its own and of its subscription, with both, in their order (D20)', async () => {
      const holder = await aHolder(service());
      await become(holder, {
        keyState: suspendedBy('manual_hold'),
        suspension: suspendedBy('payment_failure', 'manual_hold'),
      });
      expect(await ask(holder.value)).to.deep.include({
        refusal: { refused: 'key_suspended', causes: ['payment_failure', 'manual_hold'] },
      });
    });

    it('a key without `events.read` as `insufficient_scope` (D18)', async () => {
      for (const scopes of [[], ['markets.read']] as const) {
        const holder = await aHolder(service());
        await become(holder, { scopes });
        expect(code(await ask(holder.value))).to.equal('insufficient_scope');
      }
    });
  });

  describe('checks in the order of contract section 5.5', () => {
    /** Faults of an existing key with their codes, in the order of the checks: the first fault is reported. */
    const faults: readonly (readonly [string, Partial<Parts>])[] = [
      ['key_revoked', { keyState: REVOKED }],
      ['key_suspended', { suspension: suspendedBy('abuse') }],
      ['subscription_paused', { state: 'paused' }],
      ['insufficient_scope', { scopes: ['markets.read'] }],
      ['rate_limited', {}],
    ];
    for (const [i, [first, one]] of faults.entries()) {
      for (const [second, other] of faults.slice(i + 1)) {
        it(`and reports ${first} before ${second} (D18)`, async () => {
          open(SMALL);
          const holder = await aHolder(service(), 'free');
          if (second === 'rate_limited') await times(3, holder.value);
          await become(holder, { ...one, ...other });
          expect(code(await ask(holder.value))).to.equal(first);
        });
      }
    }

    it('and reports the limit of an address over it, with a missing key or an unknown one (D33)', async () => {
      await times(30, null);
      expect(code(await ask(null))).to.equal('rate_limited');
      expect(code(await ask('nonsense'))).to.equal('rate_limited');
      expect(code(await ask(unknown()))).to.equal('rate_limited');
    });
  });
});
