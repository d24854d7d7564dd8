import { setTimeout } from 'node:timers/promises';
import type { LiveFeed } from './live-feed.js';

/** The start waits this long for the newest changes. Without them, streams read changes in blocks. */
const FILL_MS = 2_000;

/** Reads the newest changes back, and waits for it at most `FILL_MS`. A failure is reported: streams work all the same. */
export async function fillInTime(
  liveFeed: Pick<LiveFeed, 'fill'>,
  report: (fault: unknown) => void,
  signal: AbortSignal,
): Promise<void> {
  const filled = new AbortController();
  const ends = AbortSignal.any([signal, filled.signal]);
  const late = setTimeout(FILL_MS, undefined, { ref: false, signal: ends }).catch(() => {});
  await Promise.race([liveFeed.fill().catch(report), late]);
  // Otherwise the timer and its listener would be left until the time is over.
  filled.abort();
}
