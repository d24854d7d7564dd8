import type { Post } from './internal-post.js';

export type Pause = (ms: number) => Promise<unknown>;

const PAUSES_MS = [1_000, 2_000, 4_000, 8_000];
const PAUSE_MAX_MS = 30_000;

/** Tries again what may go well later. A batch that arrives twice changes nothing but its place (D11). */
export const retryingPost =
  (post: Post, { pause, say }: { readonly pause: Pause; readonly say: (line: string) => void }): Post =>
  async (body) => {
    for (const pauseMs of PAUSES_MS) {
      const answer = await post(body);
      if (!('failed' in answer) || !answer.again) return answer;
      const waitMs = Math.min(Math.max(pauseMs, answer.waitMs ?? 0), PAUSE_MAX_MS);
      say(`${answer.failed}; trying again in ${waitMs / 1_000} s`);
      await pause(waitMs);
    }
    const last = await post(body);
    if (!('failed' in last) || !last.again) return last;
    return { failed: `gave up after ${PAUSES_MS.length + 1} attempts: ${last.failed}`, again: false };
  };
