import { ReadFault } from './feed-source.js';
import type { Post, RejectedLine } from './internal-post.js';
import { type BatchLimits, type LineBatch, lineBatches } from './line-batches.js';
import type { Progress, Tally } from './progress.js';

/** How an import ended. `failed` says why it ended early, `goOnFrom` which line comes next, once any was sent. */
export type ImportOutcome = Tally & { readonly failed?: string; readonly goOnFrom?: number };

export type ImportParts = {
  readonly chunks: AsyncIterable<Uint8Array>;
  readonly post: Post;
  readonly progress: Progress;
  readonly limits?: BatchLimits;
};

/** Publishes a file of NDJSON batch by batch, in its order, and names every line that is rejected (D30). */
export async function importFeed({ chunks, post, progress, limits }: ImportParts): Promise<ImportOutcome> {
  let tally: Tally = { published: 0, rejected: 0, readBytes: 0 };
  let goOnFrom: number | undefined;
  // Nothing at first: a refused upload is cut off midway, and would look like a broken connection.
  const first = await post(Buffer.alloc(0));
  if ('failed' in first) return { ...tally, failed: first.failed };
  progress.show(tally);
  try {
    for await (const batch of lineBatches(chunks, limits)) {
      const answer = await post(batch.body);
      if ('failed' in answer) {
        return { ...tally, failed: answer.failed, goOnFrom: batch.numbers[0] ?? 1 };
      }
      const { accepted, rejected } = answer;
      for (const line of rejected) progress.say(described(line, batch));
      tally = {
        published: tally.published + accepted,
        rejected: tally.rejected + rejected.length,
        readBytes: batch.readBytes,
      };
      goOnFrom = (batch.numbers.at(-1) ?? 0) + 1;
      progress.show(tally);
    }
  } catch (fault) {
    if (!(fault instanceof ReadFault)) throw fault;
    return { ...tally, failed: fault.message, ...(goOnFrom !== undefined && { goOnFrom }) };
  }
  return tally;
}

function described({ line, id, errors }: RejectedLine, { numbers }: LineBatch): string {
  const where = `line ${numbers[line - 1] ?? '?'}${id === null ? '' : ` (${id})`}`;
  const faults = errors.map(({ parameter, message }) => `${parameter} ${message}`.trim());
  // What a file brings must not steer the terminal.
  return `${where}: ${faults.join('; ')}`.replaceAll(/\p{Cc}/gu, '\ufffd');
}
