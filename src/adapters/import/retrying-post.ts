import type { Post } from './internal-post.js';

export type Pause = (ms: number) => Promise<unknown>;

const PAUSES_MS = [1_000, 2_000, 4_000, 8_000];
const PAUSE_MAX_MS = 30_000;

/** Retries transient failures. Publishing a batch twice changes only the times of its items (D11). */
export const retryingPost =
  (post: Post, { pause, print }: { readonly pause: Pause; readonly print: (line: string) => void }): Post =>
  async (body) => {
    for (const pauseMs of PAUSES_MS) {
      const answer = await post(body);
      if (!('failed' in answer) || !answer.isTransient) return answer;
      const waitMs = Math.min(Math.max(pauseMs, answer.waitMs ?? 0), PAUSE_MAX_MS);
      print(`${answer.failed}; retrying in ${waitMs / 1_000} s`);
      await pause(waitMs);
    }
    const last = await post(body);
    if (!('failed' in last) || !last.isTransient) return last;
    return {
      ...last,
      failed: `gave up after ${PAUSES_MS.length + 1} attempts: ${last.failed}`,
      isTransient: false,
    };
  };
