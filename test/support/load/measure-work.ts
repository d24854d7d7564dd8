import fc from 'fast-check';
import type { OutsideText } from './outside-texts.js';
import { WorkMeter } from './work-meter.js';

/** A process of its own, started by `outside-texts.spec.ts`: writes a line of JSON for each row that it was asked for. */

/** As much as a request line and its headers may have together. */
const LENGTH = 16 * 1_024;
/** Half of what the shortest bound allows. */
const CHEAP = 32 * LENGTH;
/** Known quadratic work needs no more to show itself. */
const CONTROL_LENGTH = LENGTH / 8;

/** What the dearest of all texts cost; its beginning is enough to see what it is. */
export type Measured = {
  readonly name: string;
  readonly work: number;
  readonly length: number;
  readonly text: string;
};

const meter = new WorkMeter();
// What is loaded before the meter is there is not counted.
const { CONTROLS, OUTSIDE_TEXTS } = await import('./outside-texts.js');
const numRuns = Number(process.argv[2]);

for (const row of CONTROLS) await measure(row, row.pieces, CONTROL_LENGTH);
for (const row of OUTSIDE_TEXTS) await measure(row, [...row.pieces, ...mixes(row.pieces)], LENGTH);
// Late: to ask the meter takes longer the more is loaded.
const { outsideRequests } = await import('./outside-requests.js');
const requests = await outsideRequests();
for (const row of requests.rows) await measure(row, [...row.pieces, ...mixes(row.pieces)], LENGTH);
await requests.stop();

/** With each of these, repeated to the length. */
async function measure(row: OutsideText, repeated: readonly string[], length: number): Promise<void> {
  const { name, take, begins = '' } = row;
  // The first call loads and compiles what it needs.
  await meter.workOf([take('a')]);
  const texts = repeated.map((text) =>
    `${begins}${text.repeat(Math.ceil(length / text.length))}`.slice(0, length),
  );
  const { work, text } = await dearest(take, texts);
  process.stdout.write(`${JSON.stringify({ name, work, length, text: text.slice(0, 80) })}\n`);
}

/**
 * The dearest text, with what it costs. Several that together cost little enough for one are not told apart: to ask the
 * meter takes most of the time.
 */
async function dearest(
  take: OutsideText['take'],
  texts: readonly string[],
): Promise<{ readonly work: number; readonly text: string }> {
  const work = await meter.workOf(texts.map(take));
  if (texts.length === 1 || work <= CHEAP) return { work, text: texts[0] ?? '' };
  const middle = Math.ceil(texts.length / 2);
  const halves = [await dearest(take, texts.slice(0, middle)), await dearest(take, texts.slice(middle))];
  return halves.reduce((one, other) => (one.work >= other.work ? one : other));
}

/** Pieces in a row, some of them many times, to be repeated together. */
function mixes(pieces: readonly string[]): readonly string[] {
  const times = fc.constantFrom(1, 2, 100, 5_000);
  const run = fc.tuple(fc.constantFrom(...pieces), times).map(([text, count]) => text.repeat(count));
  const mix = fc.array(run, { minLength: 2, maxLength: 6 }).map((runs) => runs.join(''));
  return fc.sample(mix, numRuns);
}
