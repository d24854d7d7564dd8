import { setTimeout } from 'node:timers/promises';

const FIRST_MS = 5;
/** Each question costs CPU time of the process that is asked, which the awaited work needs too. */
const LAST_MS = 25;
const GROWTH = 1.25;

/** Asks until the answer equals the expected one as JSON, less often with time. Only the timeout of the test ends it otherwise. */
export async function until(expected: unknown, ask: () => unknown): Promise<void> {
  const wanted = JSON.stringify(expected);
  for (
    let pause = FIRST_MS;
    JSON.stringify(await ask()) !== wanted;
    pause = Math.min(GROWTH * pause, LAST_MS)
  )
    await setTimeout(pause);
}
