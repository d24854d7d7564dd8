import type { Moment } from '../moment.js';

/** How well the service can use something. `off`: the settings do not use it. */
export type DependencyHealth = 'up' | 'degraded' | 'down' | 'off';

/** What became of the last notice that an instance tried to send, and when. */
export type LastNotice = {
  readonly outcome: 'sent' | 'put back' | 'refused' | 'in doubt';
  readonly at: Moment;
};

/** `failed`: the stored events that could not be applied. */
export const webhookHealth = (isSet: boolean, failed: number): DependencyHealth =>
  isSet ? (failed === 0 ? 'up' : 'degraded') : 'off';

/** A refusal concerns one address: the mail server works. */
export const mailHealth = (hasServer: boolean, last: LastNotice | null): DependencyHealth => {
  if (!hasServer) return 'off';
  return last === null || last.outcome === 'sent' || last.outcome === 'refused' ? 'up' : 'degraded';
};
