import { expect } from 'chai';
import { emailOf } from '../../../src/adapters/mail/email-templates.js';

describe('Letters to the owner of an account', () => {
  it('say where somebody signed in for the first time, and what to do if that was not them', () => {
    const { subject, text } = emailOf({ kind: 'identity_joined', issuer: 'accounts.id.example' });
    expect(subject).to.equal('Oddswire: A new way to sign in');
    expect(text)
      .to.include('signed in to your account with accounts.id.example for the first time')
      .and.include('If that was not you')
      .and.include('“Forget these and sign out everywhere”');
  });

  it('say after the end of a subscription how to subscribe again: no page of ours leads to a second checkout', () => {
    const { text } = emailOf({ kind: 'canceled' });
    expect(text).to.include('revoked for good').and.include('answer this mail');
  });

  it('demand no invoice where none may be open: unpaid is what the processor calls the subscription', () => {
    const { text } = emailOf({ kind: 'suspended', causes: [], state: 'unpaid' });
    expect(text).to.include('any open invoice').and.include('payment method').and.not.include('every open');
  });

  it('say that keys work again only where they do: after an end they stay revoked (D22)', () => {
    const { text } = emailOf({ kind: 'restored', plan: 'pro' });
    expect(text).to.include('Your keys work again, unchanged, on the pro plan.');
    const anew = emailOf({ kind: 'restored', plan: 'pro', keysAreRevoked: true }).text;
    const suspended = { kind: 'suspended', causes: [], state: 'incomplete' } as const;
    expect(emailOf(suspended).text).to.include('402').and.include('each works again');
    expect(emailOf({ ...suspended, keysAreRevoked: true }).text)
      .to.include('first payment')
      .and.include('stay revoked')
      .and.not.match(/402|works again/);
    expect(anew).to.include('Create new keys').and.include('stay revoked').and.not.include('work again');
  });
});
