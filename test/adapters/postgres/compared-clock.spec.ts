import { expect } from 'chai';
import { ComparedClock } from '../../../src/adapters/postgres/compared-clock.js';
import { HOUR, plus, SECOND } from '../../../src/domain/moment.js';
import { NOON } from '../../support/objects/builders.js';

describe('The clock of a machine, compared with that of Postgres,', () => {
  const lines: string[] = [];
  const write = (_: object, line: string) => void lines.push(line);
  let now = NOON;
  let monotonicMs = 0;
  let compared: ComparedClock;
  beforeEach(() => {
    lines.length = 0;
    [now, monotonicMs] = [NOON, 0];
    const log = { info: write, warn: write };
    compared = new ComparedClock({ systemClock: () => now, monotonicClock: () => monotonicMs, log });
  });
  const beat = () => compared.note({ shown: NOON, sentAt: monotonicMs, receivedAt: monotonicMs });

  it('agrees before the first heartbeat', () => {
    expect(compared.allowance().publishesLive).to.equal(true);
    expect(compared.report().state).to.equal('up');
  });

  it('agrees while both go on', () => {
    beat();
    [now, monotonicMs] = [plus(NOON, 100 * SECOND), 100_000];
    expect(compared.allowance().readiness).to.equal('up');
    expect(compared.bound(now)).to.equal(now);
  });

  it('is wrong at once when it jumps between two heartbeats, and bounds the time of background work (D5)', () => {
    beat();
    now = plus(NOON, HOUR);
    expect(compared.allowance()).to.include({ hasBackgroundWork: false, publishesLive: false });
    expect(compared.bound(now)).to.equal(plus(NOON, 5 * SECOND));
  });

  it('logs each change of its state once, with a heartbeat', () => {
    beat();
    now = plus(NOON, HOUR);
    beat();
    beat();
    now = NOON;
    beat();
    expect(lines).to.deep.equal([
      'the clock of this machine is 3600.0 s ahead of that of Postgres: this instance is not ready, does no background work and accepts no live publication',
      'the clock of this machine agrees with that of Postgres',
    ]);
  });
});
