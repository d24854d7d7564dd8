import { expect } from 'chai';
import { Unwritable } from '../../../src/application/unavailable.js';
import type { AccountId } from '../../../src/domain/accounts/account.js';
import { DAY, HOUR, MICROSECOND, MINUTE, plus } from '../../../src/domain/moment.js';
import type { SessionHolder } from '../../../src/domain/sign-in/session.js';
import { NOON } from '../../support/objects/builders.js';
import { type SignIn, signInInMemory } from '../../support/service/sign-in.js';

const ADA: SessionHolder = { kind: 'account', account: 'acc_ada' as AccountId };
const OPERATOR: SessionHolder = { kind: 'operator', name: 'operator', by: { group: 'ops' } };

describe('A session, found by the secret of a browser,', () => {
  let signIn: SignIn;
  beforeEach(() => {
    signIn = signInInMemory();
  });
  const seenAt = async (secret: string) => (await signIn.sessions.find(signIn.secrets.hash(secret)))?.seenAt;

  it('is found only by its secret', async () => {
    const { secret, session } = await signIn.startSession(ADA, null);
    expect(secret).to.match(/^[\w-]{43}$/);
    expect(await signIn.findSession(secret)).to.deep.equal(session);
    for (const other of ['', signIn.secrets.hash(secret), signIn.secrets.make(), `${secret} `]) {
      expect(await signIn.findSession(other)).to.equal(null);
    }
  });

  it('is found even if the visit cannot be stored, and the next visit is stored', async () => {
    const { secret, session } = await signIn.startSession(ADA, null);
    signIn.clock.at = plus(NOON, HOUR);
    const { note } = signIn.sessions;
    signIn.sessions.note = () => Promise.reject(new Unwritable('Postgres', 'it is read-only'));
    expect(await signIn.findSession(secret)).to.deep.equal(session);
    const bug = new Error('bug');
    signIn.sessions.note = () => Promise.reject(bug);
    expect(await signIn.findSession(secret).catch((fault: unknown) => fault)).to.equal(bug);
    signIn.sessions.note = note;
    await signIn.findSession(secret);
    expect(await seenAt(secret)).to.equal(plus(NOON, HOUR));
  });

  it('is gone once it has expired, to the microsecond, and is never restored', async () => {
    for (const [holder, idle] of [
      [ADA, 7 * DAY],
      [OPERATOR, HOUR],
    ] as const) {
      signIn.clock.at = NOON;
      const [late, timely] = [
        await signIn.startSession(holder, null),
        await signIn.startSession(holder, null),
      ];
      signIn.clock.at = plus(NOON, idle - MICROSECOND);
      expect(await signIn.findSession(timely.secret)).not.to.equal(null);
      signIn.clock.at = plus(NOON, idle);
      expect(await signIn.findSession(late.secret)).to.equal(null);
      expect(await seenAt(late.secret)).to.equal(NOON);
      expect(await signIn.findSession(timely.secret)).not.to.equal(null);
    }
  });

  it('is prolonged by visits, not by requests that a page repeats', async () => {
    const { secret } = await signIn.startSession(ADA, null);
    signIn.clock.at = plus(NOON, 6 * DAY);
    expect(await signIn.findSession(secret, false)).not.to.equal(null);
    expect(await seenAt(secret)).to.equal(NOON);
    expect(await signIn.findSession(secret)).not.to.equal(null);
    expect(await seenAt(secret)).to.equal(signIn.clock.at);
  });

  it('goes on while its holder visits, and ends after its maximum lifetime', async () => {
    const { secret } = await signIn.startSession(OPERATOR, null);
    for (let minutes = 0; minutes < 12 * 60; minutes += 59) {
      signIn.clock.at = plus(NOON, minutes * MINUTE);
      expect(await signIn.findSession(secret), `after ${minutes} minutes`).not.to.equal(null);
    }
    signIn.clock.at = plus(NOON, 12 * HOUR);
    expect(await signIn.findSession(secret)).to.equal(null);
  });

  it('stores a visit once in 5 minutes, not for every page', async () => {
    const { secret } = await signIn.startSession(ADA, null);
    const visits = [];
    for (const minutes of [0, 4, 5, 9, 10]) {
      signIn.clock.at = plus(NOON, minutes * MINUTE);
      await signIn.findSession(secret);
      visits.push(await seenAt(secret));
    }
    expect(visits).to.deep.equal([0, 0, 5, 5, 10].map((minutes) => plus(NOON, minutes * MINUTE)));
  });

  it('is gone once it was ended', async () => {
    const { secret } = await signIn.startSession(ADA, null);
    await signIn.sessions.endAll(ADA);
    expect(await signIn.findSession(secret)).to.equal(null);
  });
});
