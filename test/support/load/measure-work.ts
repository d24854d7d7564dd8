import fc from 'fast-check';
import type { OutsideText } from './outside-texts.js';
import { WorkMeter } from './work-meter.js';

/** A separate process that `outside-texts.spec.ts` starts. It writes one line of JSON for each row. */

/** The maximum length of a request line and its headers together. */
const LENGTH = 16 * 1_024;
/** Half of the lowest limit. */
const CHEAP = 32 * LENGTH;
/** Long enough to recognise quadratic work. */
const CONTROL_LENGTH = LENGTH / 8;

/** So many texts are measured together first. */
const TOGETHER = 4;

/** The work for the most expensive text, and the first characters of that text. */
export type Measured = {
  readonly name: string;
  readonly work: number;
  readonly length: number;
  readonly text: string;
};

const meter = new WorkMeter();
// Loaded after the meter exists, because code loaded earlier is not counted.
const { CONTROLS, OUTSIDE_TEXTS } = await import('./outside-texts.js');
const numRuns = Number(process.argv[2]);

await warmUp([...CONTROLS, ...OUTSIDE_TEXTS]);
for (const row of CONTROLS) await measure(row, row.pieces, CONTROL_LENGTH);
for (const row of OUTSIDE_TEXTS) await measure(row, [...row.pieces, ...mixes(row.pieces)], LENGTH);
// Loaded late, because each reading of the meter takes longer the more code is loaded.
const { outsideRequests } = await import('./outside-requests.js');
const requests = await outsideRequests();
await warmUp(requests.rows);
for (const row of requests.rows) await measure(row, [...row.pieces, ...mixes(row.pieces)], LENGTH);
await requests.stop();

/** The first calls load and compile code. The meter is read once for all rows, which sets its counts to zero. */
async function warmUp(rows: readonly OutsideText[]): Promise<void> {
  await meter.workOf(rows.map(({ take }) => take('a')));
}

/** Measures a row with each text, repeated to the length. */
async function measure(row: OutsideText, repeated: readonly string[], length: number): Promise<void> {
  const { name, take, begins = '' } = row;
  const texts = repeated.map((text) =>
    `${begins}${text.repeat(Math.ceil(length / text.length))}`.slice(0, length),
  );
  const { work, text } = await mostExpensive(take, texts);
  process.stdout.write(`${JSON.stringify({ name, work, length, text: text.slice(0, 80) })}\n`);
}

/**
 * The most expensive text and its work. Texts that are cheap together are not measured separately: most of the time is that
 * of the texts, and each reading of the meter takes some milliseconds.
 */
async function mostExpensive(
  take: OutsideText['take'],
  texts: readonly string[],
  together = TOGETHER,
): Promise<{ readonly work: number; readonly text: string }> {
  let most = { work: 0, text: '' };
  for (let from = 0; from < texts.length; from += together) {
    const some = texts.slice(from, from + together);
    const work = await meter.workOf(some.map(take));
    const isEnough = some.length === 1 || work <= CHEAP;
    const found = isEnough ? { work, text: some[0] ?? '' } : await mostExpensive(take, some, 1);
    if (found.work > most.work) most = found;
  }
  return most;
}

/** Random sequences of pieces, some of them repeated many times. */
function mixes(pieces: readonly string[]): readonly string[] {
  const times = fc.constantFrom(1, 2, 100, 5_000);
  const run = fc.tuple(fc.constantFrom(...pieces), times).map(([text, count]) => text.repeat(count));
  const mix = fc.array(run, { minLength: 2, maxLength: 6 }).map((runs) => runs.join(''));
  return fc.sample(mix, numRuns);
}
