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
});
