import { expect } from 'chai';
import { ShiftedClock } from '../../src/adapters/system/system-clock.js';
import { RunDueWork } from '../../src/application/accounts/run-due-work.js';
import { advanceClock } from '../../src/application/advance-clock.js';
import { rotateKey } from '../../src/domain/keys/account-keys.js';
import { OVERLAP } from '../../src/domain/keys/overlap.js';
import { DAY, HOUR, plus } from '../../src/domain/moment.js';
import { accepted, auditContext, NOON } from '../support/objects/builders.js';
import { accountsInMemory, aFreshKey, anAccount, firstKey, storedKey } from '../support/service/accounts.js';

describe('Moving the test clock', () => {
  const shifted = () => {
    const testClock = new ShiftedClock();
    const service = accountsInMemory();
    const work = new RunDueWork({ ...service.dueWorkParts, clock: testClock.now });
    return {
      service,
      now: testClock.now,
      advance: advanceClock({ testClock, clock: testClock.now, jobs: [() => work.untilDone()] }),
    };
  };

  it('returns the new time, and the clock goes on from there (D5, D30)', async () => {
    const { advance, now } = shifted();
    const before = now();
    const answered = await advance(DAY);
    expect(answered >= plus(before, DAY)).to.equal(true);
    expect(now() >= answered).to.equal(true);
    expect((await advance(HOUR)) >= plus(answered, HOUR)).to.equal(true);
  });

  it('does what falls due on the way before it resolves, as of the due moments (D30)', async () => {
    const { service, advance, now } = shifted();
    const account = await anAccount(service.accounts);
    const { id } = firstKey(account);
    const [issuedAt, successor] = [now(), aFreshKey()];
    accepted(
      await service.accounts.change(account.id, (found) =>
        rotateKey(found, id, successor, auditContext(issuedAt)),
      ),
    );
    service.keyUses.note(successor.id, issuedAt);
    await advance(HOUR);
    expect((await storedKey(service, id)).state).to.deep.equal({ status: 'active' });
    await advance(10 * DAY);
    expect((await storedKey(service, id)).state).to.include({ revokedAt: plus(issuedAt, OVERLAP) });
  });

  it('waits for slow jobs, after the clock has moved (D30)', async () => {
    const done: string[] = [];
    const taking = (what: string) => () =>
      new Promise<void>((next) => {
        setImmediate(() => {
          done.push(what);
          next();
        });
      });
    const advance = advanceClock({
      testClock: { advance: taking('moved') },
      clock: () => NOON,
      jobs: [taking('worked'), taking('worked again')],
    });
    expect(await advance(HOUR)).to.equal(NOON);
    expect(done).to.deep.equal(['moved', 'worked', 'worked again']);
  });

  it('by 0 moves nothing, and still does what is due', async () => {
    const { service, advance, now } = shifted();
    const account = await anAccount(service.accounts);
    const { id } = firstKey(account);
    const [yesterday, successor] = [plus(now(), -OVERLAP), aFreshKey()];
    accepted(
      await service.accounts.change(account.id, (found) =>
        rotateKey(found, id, successor, auditContext(yesterday)),
      ),
    );
    service.keyUses.note(successor.id, yesterday);
    await advance(0);
    expect((await storedKey(service, id)).state).to.include({ revokedAt: plus(yesterday, OVERLAP) });
  });
});
