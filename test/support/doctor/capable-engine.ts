import type { EngineBehaviour } from '../../../src/adapters/findings/engine-behaviour.js';

/** An engine that has everything that the service needs. */
export const CAPABLE: EngineBehaviour = {
  sessions: 'separate',
  locks: 'exclude',
  notifications: 'arrive',
  timestamps: 'keep microseconds',
  skipLocked: 'skips',
};
