import { expect } from 'chai';
import { letterOf } from '../../../src/adapters/mail/letters.js';

describe('Letters to the owner of an account', () => {
  it('say where somebody signed in for the first time, and what to do if that was not them', () => {
    const { subject, text } = letterOf({ kind: 'identity_joined', issuer: 'accounts.id.example' });
    expect(subject).to.equal('Oddswire: A new way to sign in');
    expect(text)
      .to.include('signed in to your account with accounts.id.example for the first time')
      .and.include('If that was not you')
      .and.include('“Forget these and sign out everywhere”');
  });

  it('say after the end of a subscription how to subscribe again: no page of ours leads to a second checkout', () => {
    const { text } = letterOf({ kind: 'canceled' });
    expect(text).to.include('revoked for good').and.include('answer this mail');
  });

  it('demand no invoice where none may be open: unpaid is what the processor calls the subscription', () => {
    const { text } = letterOf({ kind: 'suspended', causes: [], state: 'unpaid' });
    expect(text).to.include('any open invoice').and.include('payment method').and.not.include('every open');
  });

  it('say that keys work again only where they do: after an end they stay revoked (D22)', () => {
    const { text } = letterOf({ kind: 'restored', plan: 'pro' });
    expect(text).to.include('Your keys work again, unchanged, on the pro plan.');
    const anew = letterOf({ kind: 'restored', plan: 'pro', keysAreRevoked: true }).text;
    const suspended = { kind: 'suspended', causes: [], state: 'incomplete' } as const;
    expect(letterOf(suspended).text).to.include('402').and.include('each works again');
    expect(letterOf({ ...suspended, keysAreRevoked: true }).text)
      .to.include('first payment')
      .and.include('stay revoked')
      .and.not.match(/402|works again/);
    expect(anew).to.include('Create new keys').and.include('stay revoked').and.not.include('work again');
  });
});
