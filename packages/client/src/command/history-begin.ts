import type { OddswireError } from '../errors.js';

/** What to do about `before_history`. */
export function historyBeginText({ problem }: OddswireError): string {
  const begin = problem?.history_from?.known_at;
  return `The history begins ${begin === undefined ? 'later' : `at ${begin}`}: give no earlier time, or leave out --since and --after.`;
}
