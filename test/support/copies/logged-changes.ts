import type { ChangeLogs, LogPositions, LogsRead } from '../../../src/application/ports/change-logs.js';

export type Changes = Extract<LogsRead, { readonly found: 'changes' }>;

/** One part of the changes after these positions. Throws if the logs do not have them. */
export async function changesAfter(logs: ChangeLogs, positions: LogPositions): Promise<Changes> {
  const read = await logs.readAfter(positions);
  if (read.found !== 'changes') throw new Error(`the logs returned: ${read.found}`);
  return read;
}

/** The hashes of each change, sorted, because their order has no meaning. */
export const hashesIn = ({ accounts }: Pick<Changes, 'accounts'>): readonly (readonly string[] | 'all')[] =>
  accounts.map(({ keys }) => (keys === 'all' ? keys : [...keys].sort()));

/** Continues from its last positions at each call, like a process that follows the logs. */
export async function logReader(logs: ChangeLogs): Promise<() => Promise<Changes>> {
  let positions = await logs.newest();
  return async () => {
    const read = await changesAfter(logs, positions);
    positions = read.positions;
    return read;
  };
}
