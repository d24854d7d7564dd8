import { expect } from 'chai';
import type { Account } from '../../../src/domain/accounts/account.js';
import { applyToSubscription } from '../../../src/domain/billing/account-subscription.js';
import type { SubscriptionState } from '../../../src/domain/billing/subscription.js';
import { applyOperatorEvent } from '../../../src/domain/keys/account-keys.js';
import type { Scope } from '../../../src/domain/keys/scope.js';
import type { CauseEvent } from '../../../src/domain/keys/suspension.js';
import { HOUR, MINUTE, plus } from '../../../src/domain/moment.js';
import { accepted, auditContext } from '../../support/objects/builders.js';
import {
  type Answer,
  type Composed,
  composed,
  type Holder,
  keyHolder,
  requestNews,
  rewrite,
  START,
} from '../../support/service/composed.js';

const PRO = '"minute";q=3000;w=60, "day";q=1000000;w=86400';
const ANONYMOUS = '"anonymous";q=30;w=60';

describe('The gateway over HTTP', () => {
  let service: Composed;
  let holder: Holder;
  before(async () => {
    service = await composed();
  });
  after(() => service.stop());
  beforeEach(async () => {
    holder = await keyHolder(service);
  });

  const isIn = (state: SubscriptionState) =>
    rewrite(service, holder.account, (account) => ({
      ...account,
      subscription: { ...account.subscription, state },
    }));

  const apply = async (decide: (account: Account) => ReturnType<typeof applyOperatorEvent>) =>
    accepted(await service.parts.accounts.change(holder.account, decide));

  const expectNoPermitTaken = (answer: Answer, policy: string, remaining: string) => {
    expect(answer.headers).to.include({ 'ratelimit-policy': policy, 'x-ratelimit-remaining': remaining });
  };

  for (const state of ['trialing', 'active'] as const) {
    it(`lets a subscription that is ${state} through (contract section 5.5 step 4)`, async () => {
      await isIn(state);
      expect((await requestNews(service, holder.value)).status).to.equal(200);
    });
  }

  const refusals = [
    ['incomplete', 'subscription_incomplete'],
    ['paused', 'subscription_paused'],
    ['unpaid', 'payment_required'],
  ] as const;
  for (const [state, code] of refusals) {
    it(`answers 402 ${code} without causes while the subscription is ${state} (D27, D32)`, async () => {
      await isIn(state);

      const answer = await requestNews(service, holder.value);

      expect(answer.status).to.equal(402);
      expect(answer.headers['content-type']).to.equal('application/problem+json; charset=utf-8');
      expect(answer.headers['cache-control']).to.equal('no-store');
      expect(answer.json()).to.include({ code, status: 402, instance: '/pm/v2/news' });
      expect(answer.json().causes).to.deep.equal([]);
      expect(answer.json().detail).to.match(/ at http:\S+\/dashboard\/subscription$/);
      expect(answer.json().request_id).to.equal(answer.headers['x-request-id']);
    });

    it(`states the counters of a subscription that is ${state}, and takes no permit from them (D34)`, async () => {
      await requestNews(service, holder.value);
      await isIn(state);
      await requestNews(service, holder.value);
      expectNoPermitTaken(await requestNews(service, holder.value), PRO, '2999');
    });
  }

  it('answers 401 for a key of a canceled subscription, with the limits of the address (D27, D34)', async () => {
    await isIn('canceled');
    const answer = await requestNews(service, holder.value);
    expect([answer.status, answer.json().code]).to.deep.equal([401, 'key_revoked']);
    expect(answer.headers['www-authenticate']).to.equal('Bearer realm="oddswire", error="invalid_token"');
    expectNoPermitTaken(answer, ANONYMOUS, '30');
  });

  const causes: readonly (readonly [CauseEvent, string])[] = [
    ['payment_failed', 'payment_failure'],
    ['abuse_detected', 'abuse'],
    ['held', 'manual_hold'],
  ];
  for (const [event, cause] of causes) {
    it(`answers 402 key_suspended naming ${cause} on the subscription (D20, D21)`, async () => {
      await apply((account) => applyToSubscription(account, event, auditContext(START)));
      const answer = await requestNews(service, holder.value);
      expect([answer.status, answer.json().code]).to.deep.equal([402, 'key_suspended']);
      expect(answer.json().causes).to.deep.equal([cause]);
      expectNoPermitTaken(answer, PRO, '3000');
    });
  }

  it('names the causes of a key and of its subscription together, in their order (D20)', async () => {
    await apply((account) => applyOperatorEvent(account, holder.key.id, 'held', auditContext(START)));
    await apply((account) => applyToSubscription(account, 'abuse_detected', auditContext(START)));
    await apply((account) => applyToSubscription(account, 'payment_failed', auditContext(START)));
    const answer = await requestNews(service, holder.value);
    expect(answer.json().causes).to.deep.equal(['payment_failure', 'abuse', 'manual_hold']);
  });

  it('reports the suspension before the state of the subscription (5.5: step 3, then 4)', async () => {
    await isIn('unpaid');
    await apply((account) => applyToSubscription(account, 'held', auditContext(START)));
    expect((await requestNews(service, holder.value)).json().code).to.equal('key_suspended');
  });

  it('lets the key through again, unchanged, once the last cause has ended (contract section 3.1, D20)', async () => {
    await apply((account) => applyToSubscription(account, 'payment_failed', auditContext(START)));
    expect((await requestNews(service, holder.value)).status).to.equal(402);
    await apply((account) => applyToSubscription(account, 'invoice_paid', auditContext(START)));
    expect((await requestNews(service, holder.value)).status).to.equal(200);
  });

  const withScopes = (...scopes: readonly Scope[]) =>
    rewrite(service, holder.account, (account) => ({
      ...account,
      keys: account.keys.map((key) => ({ ...key, scopes })),
    }));

  it('answers 403 to a key without events.read, with the counters of its subscription (D18, D34)', async () => {
    await withScopes('markets.read');
    const answer = await requestNews(service, holder.value);
    expect([answer.status, answer.json().code]).to.deep.equal([403, 'insufficient_scope']);
    expect(answer.json()).not.to.have.property('causes');
    expect(answer.headers).not.to.have.property('www-authenticate');
    expectNoPermitTaken(answer, PRO, '3000');
  });

  it('requires only the scope events.read (D18, 5.6)', async () => {
    await withScopes('events.read');
    expect((await requestNews(service, holder.value)).status).to.equal(200);
  });

  it('checks parameters after all its other checks (D18)', async () => {
    await isIn('paused');
    expect((await requestNews(service, holder.value, {}, '?limit=0')).status).to.equal(402);
    await isIn('active');
    expect((await requestNews(service, holder.value, {}, '?limit=0')).status).to.equal(400);
  });

  it('keeps a rotated key working until exactly 300 s after its revocation (D22)', async () => {
    const { value } = holder;
    accepted(await service.parts.rotateKey(holder.key.id, null, 'test'));
    accepted(await service.parts.revokeKey(holder.key.id, 'rotation', null, 'test'));
    try {
      service.clock.at = plus(START, 5 * MINUTE - 1);
      expect((await requestNews(service, value)).status).to.equal(200);
      service.clock.at = plus(START, 5 * MINUTE);
      const late = await requestNews(service, value);
      expect([late.status, late.json().code]).to.deep.equal([401, 'key_revoked']);
    } finally {
      service.clock.at = START;
    }
  });

  it('answers 429 with the exceeded policies and Retry-After (contract section 5.5 step 5, D33)', async () => {
    const { value } = await keyHolder(service, 'free');
    service.clock.at = plus(START, HOUR); // New windows.
    try {
      const served = await Promise.all(Array.from({ length: 60 }, () => requestNews(service, value)));
      expect(served.map(({ status }) => status)).to.deep.equal(Array(60).fill(200));

      const answer = await requestNews(service, value, {}, '?limit=0');

      expect([answer.status, answer.json().code]).to.deep.equal([429, 'rate_limited']);
      expect(answer.json().violated_policies).to.deep.equal(['minute']);
      expect(answer.headers).to.include({
        'retry-after': '50',
        ratelimit: '"minute";r=0;t=50, "day";r=4940;t=39590',
        'x-ratelimit-limit': '60',
        'x-ratelimit-remaining': '0',
        'x-ratelimit-reset': String(Date.UTC(2026, 2, 1, 13, 1) / 1_000),
      });
    } finally {
      service.clock.at = START;
    }
  });
});
