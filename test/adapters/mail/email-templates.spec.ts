import { expect } from 'chai';
import { obstacleText } from '../../../src/adapters/dashboard/page/state-text.js';
import { emailOf } from '../../../src/adapters/mail/email-templates.js';
import { PLAN_NAMES, PLANS } from '../../../src/domain/billing/plan.js';
import { SUSPENSION_CAUSES } from '../../../src/domain/keys/suspension.js';
import type { Moment } from '../../../src/domain/moment.js';
import { moment } from '../../support/objects/builders.js';

describe('Emails to the owner of an account', () => {
  const firstSentence = (text: string): string => text.split('. ')[0] ?? '';

  it('give the reason of a suspension in the same sentence as the pages', () => {
    for (const cause of SUSPENSION_CAUSES) {
      const { text } = emailOf({ kind: 'suspended', causes: [cause], state: 'active' }, PLANS);
      expect(text).to.include(firstSentence(obstacleText([cause], false)));
    }
    for (const state of ['incomplete', 'paused', 'unpaid'] as const) {
      const { text } = emailOf({ kind: 'suspended', causes: [], state }, PLANS);
      expect(text).to.include(firstSentence(obstacleText([state], false)));
    }
  });

  it('say before the expiry of a key when it is, and how to keep or to replace the key (D72)', () => {
    const key = { prefix: 'svc_abcdefgh', label: 'night job' };
    const expiresAt = '2027-01-01T00:00:00.000000Z' as Moment;
    const { subject, text } = emailOf({ kind: 'key_expiring', key, expiresAt }, PLANS);
    expect(subject).to.equal('Oddswire: Your API key expires soon');
    expect(text)
      .to.include('API key svc_abcdefgh… (night job) expires on 1 January 2027, 00:00 UTC.')
      .and.include('rotate it')
      .and.include('move or remove its expiry');
    expect(emailOf({ kind: 'key_expired', key }, PLANS).text).to.include('permanently revoked');
  });

  it('name a plan as the pages do', () => {
    for (const plan of PLAN_NAMES) {
      expect(emailOf({ kind: 'restored', plan }, PLANS).text).to.include(`the ${PLANS[plan].title} plan`);
    }
  });

  it('say how much of the quota is used, until when, and where to switch them off (D73)', () => {
    const news = {
      kind: 'quota_used',
      level: 80,
      quota: 50_000,
      plan: 'pro',
      resetsAt: moment('2026-03-02T00:00:00Z'),
    } as const;
    const { subject, text } = emailOf(news, PLANS);
    expect(subject).to.equal('Oddswire: Requests of today');
    expect(text)
      .to.include('80% of the 50,000 requests that the Pro plan has for a day are used.')
      .and.include('429 until 2 March 2026, 00:00 UTC')
      .and.include('on the Usage page, under “Emails about your quota”');
    expect(emailOf({ ...news, level: 100 }, PLANS).text)
      .to.include('All 50,000 requests that the Pro plan has for a day are used.')
      .and.include('Further requests get 429 until');
  });

  it('say at which provider someone signed in for the first time, and what to do if it was not the owner', () => {
    const { subject, text } = emailOf({ kind: 'identity_joined', issuer: 'accounts.id.example' }, PLANS);
    expect(subject).to.equal('Oddswire: New sign-in method');
    expect(text)
      .to.include('signed in to your account with accounts.id.example for the first time')
      .and.include('If this was not you')
      .and.include('“Disconnect all and sign out everywhere”');
  });

  it('explain after the end of a subscription how to subscribe again: no page leads to a second checkout', () => {
    const { text } = emailOf({ kind: 'canceled' }, PLANS);
    expect(text).to.include('permanently revoked').and.include('reply to this email');
  });

  it('demand no payment for an unpaid subscription, which may have no open invoice', () => {
    const { text } = emailOf({ kind: 'suspended', causes: [], state: 'unpaid' }, PLANS);
    expect(text).to.include('any open invoice').and.include('payment method').and.not.include('every open');
  });

  it('say that keys work again only if they do: after the end of a subscription they stay revoked (D22)', () => {
    const { text } = emailOf({ kind: 'restored', plan: 'pro' }, PLANS);
    expect(text).to.include('Your keys work again, unchanged, on the Pro plan.');
    const withoutKeys = emailOf({ kind: 'restored', plan: 'pro', keysAreRevoked: true }, PLANS).text;
    const suspended = { kind: 'suspended', causes: [], state: 'incomplete' } as const;
    expect(emailOf(suspended, PLANS).text).to.include('402').and.include('keys work again');
    expect(emailOf({ ...suspended, keysAreRevoked: true }, PLANS).text)
      .to.include('first payment')
      .and.include('stay revoked')
      .and.not.match(/402|works? again/);
    expect(withoutKeys)
      .to.include('Create new keys')
      .and.include('stay revoked')
      .and.not.include('work again');
  });
});
