import { type Finding, failed, ok, skipped } from './check.js';
import { POOLER_ADVICE } from './connection-fault.js';

/** How a database engine behaves where the service depends on it. `missing`: it refused the statement as unknown. */
export type EngineBehaviour = {
  /** Whether each connection kept a session of its own. Only a pooler gives one session to several connections. */
  readonly sessions: 'separate' | 'shared';
  /** A second connection asked for an advisory lock that the first one held, for its session and for a transaction. */
  readonly locks: 'exclude' | 'do not exclude' | 'missing';
  /** The first connection listened, the second one notified. `not checked`: a standby does not notify. */
  readonly notifications: 'arrive' | 'do not arrive' | 'missing' | 'not checked';
  readonly timestamps: 'keep microseconds' | 'lose microseconds';
  /** `not checked`: the tables do not exist yet, or the server is read-only. */
  readonly skipLocked: 'skips' | 'does not skip' | 'missing' | 'not checked';
};

export const ENGINE_CHECKS = ['locks', 'notifications', 'timestamps', 'skip locked'] as const;
export type EngineCheck = (typeof ENGINE_CHECKS)[number];

const ANOTHER_ENGINE = 'Use PostgreSQL 15 or newer, or an engine that behaves the same.';

/** Judges the behaviour of the engine at `server`, an address without credentials. */
export function engineFindings(
  behaviour: EngineBehaviour,
  server: string,
): Readonly<Record<EngineCheck, Finding>> {
  const { sessions, locks, notifications, timestamps, skipLocked } = behaviour;
  const fault = (detail: string, isOfPooler: boolean) =>
    failed(`${detail} (${server})`, isOfPooler ? POOLER_ADVICE : ANOTHER_ENGINE);
  const lacks = (feature: string) => fault(`the database engine has no ${feature}`, false);
  return {
    // With shared sessions, locks exclude only by chance.
    locks:
      sessions === 'shared'
        ? fault('connections share sessions of the server, so that locks and LISTEN have no effect', true)
        : {
            exclude: ok('an advisory lock excludes other connections'),
            'do not exclude': fault('two connections got the same advisory lock', false),
            missing: lacks('advisory locks'),
          }[locks],
    notifications: {
      arrive: ok('notifications arrive'),
      'do not arrive': fault('a notification did not arrive at the connection that listens', true),
      missing: lacks('LISTEN and NOTIFY'),
      'not checked': skipped('a standby does not notify'),
    }[notifications],
    timestamps: {
      'keep microseconds': ok('timestamps keep microseconds'),
      'lose microseconds': fault('timestamps lose microseconds, by which the feed is sorted', false),
    }[timestamps],
    'skip locked': {
      skips: ok('locked rows are skipped'),
      'does not skip': fault('a query with "skip locked" waits for a locked row', false),
      missing: lacks('"for update skip locked"'),
      'not checked': skipped('the table for this check is missing, or the database is read-only'),
    }[skipLocked],
  };
}

/** Why the service must not run on an engine, with what to do. Null if it may. */
export function engineRefusal(behaviour: EngineBehaviour, server: string): string | null {
  const findings = engineFindings(behaviour, server);
  const faults = ENGINE_CHECKS.map((check) => findings[check]).filter(({ result }) => result === 'failed');
  if (faults.length === 0) return null;
  const advice = new Set(faults.map((fault) => fault.advice));
  return [...faults.map(({ detail }) => `${detail}.`), ...advice].join(' ');
}
