import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { Sessions } from '../../../src/application/ports/sign-in/sessions.js';
import type { AccountId } from '../../../src/domain/accounts/account.js';
import { DAY, HOUR, MICROSECOND, MINUTE, type Moment, plus } from '../../../src/domain/moment.js';
import { type Session, type SessionHolder, startSession } from '../../../src/domain/sign-in/session.js';
import type { SecretHash } from '../../../src/domain/sign-in/sign-in.js';
import { NOON } from '../../support/objects/builders.js';
import { contracts } from '../adapters.js';
import { eachAdapter } from '../opening.js';

/** Several rounds, so that connections are open and calls really overlap. */
const ROUNDS = 20;

const anAccountHolder = (account: string = randomUUID()): SessionHolder => ({
  kind: 'account',
  account: account as AccountId,
});
const anOperator = (name: string = randomUUID()): SessionHolder => ({
  kind: 'operator',
  name,
  by: { group: 'ops' },
});

eachAdapter('Sessions', contracts.sessions, (instance) => {
  const pair = async () => [await instance(), await instance()] as const;
  const started = async (sessions: Sessions, session: Session) => {
    const hash = `hash_${randomUUID()}` as SecretHash;
    await sessions.start(hash, session);
    return hash;
  };
  const of = (sessions: Sessions, holder: SessionHolder, at: Moment = NOON) =>
    started(sessions, startSession(holder, at));

  it('shows a session to every instance at once, verbatim, and only by its secret', async () => {
    const [one, other] = await pair();
    for (const holder of [anAccountHolder(), anOperator('operator Zoë “山”')]) {
      const session = { ...startSession(holder, NOON), seenAt: plus(NOON, MICROSECOND) };
      const hash = await started(one, session);
      for (const store of [one, other]) expect(await store.find(hash)).to.deep.equal(session);
    }
    expect(await one.find('hash of nobody' as SecretHash)).to.equal(null);
  });

  it('ends only that session of its holder, for every instance', async () => {
    const [one, other] = await pair();
    const holder = anAccountHolder();
    const [mine, elsewhere] = [await of(one, holder), await of(one, holder)];
    await other.end(mine);
    for (const store of [one, other]) expect(await store.find(mine)).to.equal(null);
    expect(await one.find(elsewhere)).to.deep.equal(startSession(holder, NOON));
    await other.end(mine);
  });

  it('keeps the latest visit, in any order of notes', async () => {
    const [one, other] = await pair();
    const hash = await of(one, anAccountHolder());
    const seen = async () => (await one.find(hash))?.seenAt;
    await other.note(hash, plus(NOON, HOUR));
    expect(await seen()).to.equal(plus(NOON, HOUR));
    await other.note(hash, plus(NOON, HOUR - MICROSECOND));
    expect(await seen()).to.equal(plus(NOON, HOUR));
    await one.note(hash, plus(NOON, HOUR + MICROSECOND));
    expect(await seen()).to.equal(plus(NOON, HOUR + MICROSECOND));
  });

  it('keeps the latest of ten concurrent visits, and changes nothing else of the session', async () => {
    const stores = await pair();
    for (let round = 0; round < ROUNDS; round += 1) {
      const holder = anAccountHolder();
      const hash = await of(stores[0], holder);
      await Promise.all(
        Array.from({ length: 10 }, (_, i) =>
          stores[(i % 2) as 0 | 1].note(hash, plus(NOON, ((i * 7) % 10) * MINUTE)),
        ),
      );
      expect(await stores[1].find(hash)).to.deep.equal({
        ...startSession(holder, NOON),
        seenAt: plus(NOON, 9 * MINUTE),
      });
    }
  });

  it('never restores an ended session, even if a visit is noted at the same moment', async () => {
    const stores = await pair();
    for (let round = 0; round < ROUNDS; round += 1) {
      const [left, right] = round % 2 === 0 ? stores : [stores[1], stores[0]];
      const hash = await of(left, anAccountHolder());
      const notes = Array.from({ length: 4 }, (_, i) => right.note(hash, plus(NOON, (i + 1) * MINUTE)));
      const end = left.end(hash);
      const more = Array.from({ length: 4 }, (_, i) => left.note(hash, plus(NOON, (i + 5) * MINUTE)));
      await Promise.all([...notes, end, ...more]);
      await right.note(hash, plus(NOON, HOUR));
      for (const store of stores) expect(await store.find(hash)).to.equal(null);
    }
  });

  it('ends all sessions of only one holder, however similar the names', async () => {
    const [one, other] = await pair();
    const name = randomUUID();
    const holders = [
      anAccountHolder(name),
      anOperator(name),
      anOperator(`account/${name}`),
      anAccountHolder(`operator/${name}`),
      anOperator(`${name}/`),
      anOperator(name.toUpperCase()),
      anOperator(`${name}%`),
    ];
    for (const ended of holders) {
      const open = await Promise.all(
        holders.flatMap((holder) =>
          [of(one, holder), of(other, holder)].map(async (hash) => [holder, await hash] as const),
        ),
      );
      await other.endAll(ended);
      for (const [holder, hash] of open) {
        expect((await one.find(hash))?.holder ?? null, JSON.stringify(holder)).to.deep.equal(
          holder === ended ? null : holder,
        );
      }
    }
  });

  it('does not check whether a session has expired', async () => {
    const [one, other] = await pair();
    const hash = await of(one, anOperator(), plus(NOON, -DAY));
    expect(await other.find(hash)).to.deep.include({ startedAt: plus(NOON, -DAY) });
  });
});
