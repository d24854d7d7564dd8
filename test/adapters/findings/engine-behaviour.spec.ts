import { expect } from 'chai';
import { POOLER_ADVICE } from '../../../src/adapters/findings/connection-fault.js';
import {
  ENGINE_CHECKS,
  type EngineBehaviour,
  engineFindings,
  engineRefusal,
} from '../../../src/adapters/findings/engine-behaviour.js';
import { CAPABLE } from '../../support/doctor/capable-engine.js';

describe('The behaviour of a database engine', () => {
  it('is accepted if it has everything that the service needs', () => {
    const findings = engineFindings(CAPABLE, 'db');
    expect(ENGINE_CHECKS.map((check) => findings[check].result)).to.deep.equal(['ok', 'ok', 'ok', 'ok']);
    expect(engineRefusal(CAPABLE, 'db')).to.equal(null);
  });

  // biome-ignore format: a table is read by its columns
  const rows: readonly (readonly [Partial<EngineBehaviour>, check: (typeof ENGINE_CHECKS)[number], result: string, detail: RegExp])[] = [
    [{ sessions: 'shared' },              'locks',         'failed',  /share sessions/],
    [{ locks: 'do not exclude' },         'locks',         'failed',  /two connections got the same advisory lock/],
    [{ locks: 'missing' },                'locks',         'failed',  /no advisory locks/],
    [{ notifications: 'do not arrive' },  'notifications', 'failed',  /did not arrive/],
    [{ notifications: 'missing' },        'notifications', 'failed',  /no LISTEN and NOTIFY/],
    [{ notifications: 'not checked' },    'notifications', 'skipped', /standby/],
    [{ timestamps: 'lose microseconds' }, 'timestamps',    'failed',  /lose microseconds/],
    [{ skipLocked: 'does not skip' },     'skip locked',   'failed',  /waits for a locked row/],
    [{ skipLocked: 'missing' },           'skip locked',   'failed',  /no "for update skip locked"/],
    [{ skipLocked: 'not checked' },       'skip locked',   'skipped', /read-only/],
  ];
  for (const [behaviour, check, result, detail] of rows) {
    it(`${JSON.stringify(behaviour)} is ${result}, and the other checks are well`, () => {
      const findings = engineFindings({ ...CAPABLE, ...behaviour }, 'db.example:5432/app');
      expect(findings[check].result).to.equal(result);
      expect(findings[check].detail).to.match(detail);
      const others = ENGINE_CHECKS.filter((other) => other !== check);
      expect(others.map((other) => findings[other].result)).to.deep.equal(['ok', 'ok', 'ok']);
      const refusal = engineRefusal({ ...CAPABLE, ...behaviour }, 'db.example:5432/app');
      if (result === 'skipped') expect(refusal).to.equal(null);
      else {
        // The same text as in the report.
        expect(refusal).to.equal(`${findings[check].detail}. ${findings[check].advice}`);
        expect(refusal).to.include('db.example:5432/app');
      }
    });
  }

  it('is blamed on a pooler if connections share sessions, or if notifications do not arrive', () => {
    expect(engineFindings({ ...CAPABLE, sessions: 'shared' }, 'db').locks.advice).to.equal(POOLER_ADVICE);
    const separate = engineFindings({ ...CAPABLE, locks: 'do not exclude' }, 'db');
    expect(separate.locks.advice).to.include('Use PostgreSQL');
    const silent = engineFindings({ ...CAPABLE, notifications: 'do not arrive' }, 'db');
    expect(silent.notifications.advice).to.equal(POOLER_ADVICE);
  });

  it('with several faults is refused with all of them, and each advice once', () => {
    const refusal = engineRefusal({ ...CAPABLE, sessions: 'shared', notifications: 'do not arrive' }, 'db');
    expect(refusal?.split(POOLER_ADVICE)).to.have.length(2);
    expect(refusal).to.include('share sessions').and.to.include('notification');
  });
});
