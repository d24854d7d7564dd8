import { expect } from 'chai';
import { MINUTE, plus } from '../../../src/domain/moment.js';
import { NOON } from '../../support/objects/builders.js';
import { type SignIn, signInInMemory } from '../../support/service/sign-in.js';

const TOKEN = 'the token of the internal listener';
const HERE = '192.0.2.1';

describe('Signing in with the operator token (D30)', () => {
  let signIn: SignIn;
  let send: ReturnType<SignIn['asOperator']>;
  beforeEach(() => {
    signIn = signInInMemory();
    send = signIn.asOperator(TOKEN);
  });
  const started = async (previous: string | null = null) => {
    const answer = await send(TOKEN, HERE, previous);
    return answer.outcome === 'signed in' ? answer.started : expect.fail(answer.outcome);
  };

  it('starts a session of an operator, and ends the previous one', async () => {
    const first = await started();
    expect(first.session).to.deep.equal({
      holder: { kind: 'operator', name: 'operator', by: { token: signIn.secrets.hash(TOKEN) } },
      startedAt: NOON,
      seenAt: NOON,
    });
    const second = await started(first.secret);
    expect(await signIn.findSession(first.secret)).to.equal(null);
    expect(await signIn.findSession(second.secret)).to.deep.equal(second.session);
  });

  it('fails with another token, and ends no session', async () => {
    const { secret, session } = await started();
    for (const wrong of ['', TOKEN.slice(1), `${TOKEN} `, TOKEN.toUpperCase(), signIn.secrets.hash(TOKEN)]) {
      expect(await send(wrong, HERE, secret), wrong).to.deep.equal({ outcome: 'wrong token' });
    }
    expect(await signIn.findSession(secret)).to.deep.equal(session);
  });

  it('notes each correct and wrong token with its client address', async () => {
    const noted: (readonly [isCorrect: boolean, address: string])[] = [];
    const watched = signIn.asOperator(TOKEN, noted);
    for (const token of ['wrong', TOKEN]) await watched(token, HERE, null);
    expect(noted).to.deep.equal([
      [false, HERE],
      [true, HERE],
    ]);
  });

  it('allows 30 attempts from one client address in 10 minutes; then not even the correct token', async () => {
    for (let i = 0; i < 30; i += 1) await send(`guess ${i}`, HERE, null);
    expect(await send(TOKEN, HERE, null)).to.deep.equal({ outcome: 'too many', retryAfterSeconds: 600 });
    expect((await send(TOKEN, '192.0.2.2', null)).outcome).to.equal('signed in');
    signIn.clock.at = plus(NOON, 10 * MINUTE);
    expect((await send(TOKEN, HERE, null)).outcome).to.equal('signed in');
  });
});
