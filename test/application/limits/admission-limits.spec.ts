import { expect } from 'chai';
import { PLANS } from '../../../src/domain/billing/plan.js';
import { MICROSECOND, MINUTE, plus, SECOND } from '../../../src/domain/moment.js';
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
import { aHolder } from '../../support/service/accounts.js';

describe('The gateway', () => {
  const { service, open, ask, times, unknown, become } = gatewayInMemory();

  describe('protects against guessing (D33)', () => {
    it('and counts missing and unknown keys together by address: the 31st of a minute is `rate_limited`', async () => {
      expect(await times(10, null)).to.deep.equal(Array(10).fill('key_missing'));
      expect(await times(10, 'nonsense')).to.deep.equal(Array(10).fill('key_unknown'));
      for (let n = 0; n < 10; n += 1) expect(code(await ask(unknown(n)))).to.equal('key_unknown');
      const answer = await ask(unknown(31));
      expect(answer).to.deep.include({
        admitted: false,
        refusal: { refused: 'rate_limited', violated: ['anonymous'], retryAfterSeconds: 60 },
      });
      expect(remaining(answer)).to.deep.equal({ anonymous: 0 });
    });

    it('and shows the limit of the address, one less with each request', async () => {
      expect(remaining(await ask(null))).to.deep.equal({ anonymous: 29 });
      expect(remaining(await ask('nonsense'))).to.deep.equal({ anonymous: 28 });
      expect(remaining(await ask(unknown()))).to.deep.equal({ anonymous: 27 });
    });

    it('and still admits a valid key from an address over its limit, without taking from it', async () => {
      const { value } = await aHolder(service());
      await times(31, null);
      expect(await times(5, value)).to.deep.equal(Array(5).fill('admitted'));
      expect(remaining(await ask(null))).to.deep.equal({ anonymous: 0 });
    });

    it('and does not affect other addresses', async () => {
      await times(31, null);
      expect(code(await ask(null, '192.0.2.2'))).to.equal('key_missing');
    });

    it('and starts again with the next minute of the clock', async () => {
      await times(31, null);
      service().clock.at = plus(NOON, MINUTE - MICROSECOND);
      expect(await ask(null)).to.deep.include({
        refusal: { refused: 'rate_limited', violated: ['anonymous'], retryAfterSeconds: 1 },
      });
      service().clock.at = plus(NOON, MINUTE);
      expect(code(await ask(null))).to.equal('key_missing');
    });

    it('and never counts a revoked key, which is always refused as such', async () => {
      const holder = await aHolder(service());
      await become(holder, { keyState: REVOKED });
      expect(await times(40, holder.value)).to.deep.equal(Array(40).fill('key_revoked'));
      expect(remaining(await ask(holder.value))).to.deep.equal({ anonymous: 30 });
      await times(31, null);
      const answer = await ask(holder.value);
      expect([code(answer), remaining(answer)]).to.deep.equal(['key_revoked', { anonymous: 0 }]);
    });
  });

  describe('limits by subscription (D34)', () => {
    const refusals: readonly (readonly [string, Partial<Parts>])[] = [
      ['key_suspended', { suspension: suspendedBy('payment_failure') }],
      ['subscription_incomplete', { state: 'incomplete' }],
      ['subscription_paused', { state: 'paused' }],
      ['payment_required', { state: 'unpaid' }],
      ['insufficient_scope', { scopes: [] }],
    ];
    for (const [refusal, parts] of refusals) {
      it(`and with ${refusal} shows those of the subscription, and takes nothing from them or from the address`, async () => {
        const holder = await aHolder(service(), 'free');
        await times(3, holder.value);
        await become(holder, parts);
        for (let i = 0; i < 5; i += 1) {
          const answer = await ask(holder.value);
          expect(code(answer)).to.equal(refusal);
          expect(remaining(answer)).to.deep.equal({ minute: 57, day: 4_997 });
        }
        expect(await service().guard.peek(HERE)).to.have.nested.property('[0].remaining', 30);
      });
    }

    it('and for a canceled subscription shows those of the address, and takes nothing (D27)', async () => {
      const holder = await aHolder(service());
      await become(holder, { state: 'canceled' });
      for (let i = 0; i < 3; i += 1) {
        expect(remaining(await ask(holder.value))).to.deep.equal({ anonymous: 30 });
      }
    });

    it('and shares them between five keys', async () => {
      const { account, value } = await aHolder(service());
      const values = [value];
      for (let i = 0; i < 4; i += 1) {
        values.push(accepted(await service().issueKey(account.id, null, 'operator')).value);
      }
      const left: unknown[] = [];
      for (const each of values) left.push(remaining(await ask(each))['minute']);
      expect(left).to.deep.equal([2_999, 2_998, 2_997, 2_996, 2_995]);
    });

    it('and does not affect other subscriptions', async () => {
      open(SMALL);
      const [one, other] = [await aHolder(service(), 'free'), await aHolder(service(), 'free')];
      expect(await times(3, one.value)).to.deep.equal(['admitted', 'admitted', 'rate_limited']);
      expect(code(await ask(other.value))).to.equal('admitted');
    });

    it('and admits exactly 60 of 200 concurrent requests, in each of 20 minutes (D35)', async () => {
      const { value } = await aHolder(service(), 'free');
      for (let minute = 0; minute < 20; minute += 1) {
        service().clock.at = plus(NOON, minute * MINUTE);
        const answers = await Promise.all(Array.from({ length: 200 }, () => ask(value)));
        expect(answers.filter(({ admitted }) => admitted)).to.have.length(60);
        expect(new Set(answers.map(code))).to.deep.equal(new Set(['admitted', 'rate_limited']));
      }
    });

    it('and admits exactly 60 of 200 concurrent requests with five keys of one subscription (D35)', async () => {
      open({ ...PLANS, pro: { ...PLANS.pro, requestsPerMinute: 60 } });
      const { account, value } = await aHolder(service());
      const values = [value];
      for (let i = 0; i < 4; i += 1) {
        values.push(accepted(await service().issueKey(account.id, null, 'operator')).value);
      }
      const answers = await Promise.all(Array.from({ length: 200 }, (_, i) => ask(values[i % 5] ?? null)));
      expect(answers.filter(({ admitted }) => admitted)).to.have.length(60);
    });

    it('and reports the exhausted limit and the time to retry, and takes nothing for it (D33)', async () => {
      open(SMALL);
      const { value } = await aHolder(service(), 'free');
      await times(2, value);
      service().clock.at = plus(NOON, 18 * SECOND);
      for (let i = 0; i < 3; i += 1) {
        const answer = await ask(value);
        expect(answer).to.deep.include({
          admitted: false,
          refusal: { refused: 'rate_limited', violated: ['minute'], retryAfterSeconds: 42 },
        });
        expect(remaining(answer)).to.deep.equal({ minute: 0, day: 3 });
      }
    });

    it('and starts the next minute to the microsecond, and keeps the count of the day (D34)', async () => {
      open(SMALL);
      const { value } = await aHolder(service(), 'free');
      await times(2, value);
      service().clock.at = plus(NOON, MINUTE - MICROSECOND);
      expect(code(await ask(value))).to.equal('rate_limited');
      service().clock.at = plus(NOON, MINUTE);
      expect(remaining(await ask(value))).to.deep.equal({ minute: 1, day: 2 });
    });

    it('and refuses for the day while the minute has permits left, and counts in neither (D33)', async () => {
      open(SMALL);
      const { value } = await aHolder(service(), 'free');
      for (let minute = 0; minute < 3; minute += 1) {
        service().clock.at = plus(NOON, minute * MINUTE);
        await times(minute === 2 ? 1 : 2, value);
      }
      const answer = await ask(value);
      expect(answer).to.deep.include({
        refusal: { refused: 'rate_limited', violated: ['day'], retryAfterSeconds: 43_200 - 120 },
      });
      expect(remaining(answer)).to.deep.equal({ minute: 1, day: 0 });
      service().clock.at = plus(NOON, 43_200 * SECOND);
      expect(remaining(await ask(value))).to.deep.equal({ minute: 1, day: 4 });
    });
  });
});
