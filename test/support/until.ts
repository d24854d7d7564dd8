import { setTimeout } from 'node:timers/promises';

const EVERY_MS = 5;

/** Asks until the answer equals the expected one as JSON. Only the timeout of the test ends it otherwise. */
export async function until(expected: unknown, ask: () => unknown): Promise<void> {
  const wanted = JSON.stringify(expected);
  while (JSON.stringify(await ask()) !== wanted) await setTimeout(EVERY_MS);
}
