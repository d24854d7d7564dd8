import { setTimeout } from 'node:timers/promises';
import { ErrorReply } from 'redis';

/** A script whose keys are on two servers is sent again after this time, in milliseconds, this many times. */
const AGAIN_MS = 20;
const TIMES_MAX = 10;

/** A slot of a cluster is being moved, and some keys of the script are on the other server already. */
export const isSplit = (fault: unknown): boolean =>
  fault instanceof ErrorReply && fault.message.startsWith('TRYAGAIN');

/** Runs a script, and for a short time again while its keys are split: the server has done nothing. */
export async function onceTogether(run: () => Promise<unknown>): Promise<unknown> {
  for (let times = 0; ; times += 1) {
    try {
      return await run();
    } catch (fault) {
      if (!isSplit(fault) || times >= TIMES_MAX) throw fault;
      await setTimeout(AGAIN_MS);
    }
  }
}
