const NAME_WIDTH = 56;
const COLUMN_WIDTH = 14;
const MEGABYTE = 1_000_000;
const KILOBYTE = 1_000;

/** The goals. A lag of at most `lagMs` is accepted even if the bare loop has less. */
const GOALS = {
  deliveryRatio: 0.8,
  lastReaderRatio: 1.25,
  lagMs: 2_000,
  lagRatio: 1.5,
  loopDelayMs: 15,
  fewLastReaderMs: 100,
  bytesPerStream: 4 * KILOBYTE,
  grownBytesPerStream: 1 * KILOBYTE,
  windowBytes: 32 * MEGABYTE,
};

const at = (millis, share) => millis[Math.ceil(share * millis.length) - 1];
const median = ({ millis }) => at(millis, 0.5);
const p99 = ({ millis }) => at(millis, 0.99);
const ms = (value) => `${value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0)} ms`;
const kb = (value) => `${(value / KILOBYTE).toFixed(1)} KB`;
const mb = (value) => `${(value / MEGABYTE).toFixed(1)} MB`;
const rate = (value) => Math.round(value).toLocaleString('en').replaceAll(',', ' ');

/** Prints the figures of one form beside those of the bare loop, and the goals. `!` marks a goal that is not reached. */
export function printLive({ form, streams, seconds, items, frames }, served, bare) {
  const bytes = Math.round(frames.reduce((sum, { length }) => sum + length, 0) / frames.length);
  console.log(
    `\n${rate(streams)} streams, ${form}, compressed; an item is ${rate(bytes)} bytes on a connection; ${seconds} s for each rate\n`,
  );
  console.log(`${''.padEnd(NAME_WIDTH)}${columns(['Oddswire', 'bare loop', 'compared'])}    goal`);
  for (const row of [...ratioRows(served, bare), ...absoluteRows(served, bare, items)]) printRow(row);
}

function ratioRows(served, bare) {
  const deliveries = served.slow.perCpuSecond / bare.slow.perCpuSecond;
  const last = median(served.slow) / median(bare.slow);
  const [lag, bareLag] = [served.fast, bare.fast].map(({ millis }) => millis.at(-1));
  return [
    {
      name: 'CPU time to open a stream',
      cells: [ms(served.openingMs), ms(bare.openingMs), ''],
      goal: '',
      isReached: true,
    },
    {
      name: '1 item a second: deliveries for a second of CPU time',
      cells: [rate(served.slow.perCpuSecond), rate(bare.slow.perCpuSecond), times(deliveries)],
      goal: `at least ${times(GOALS.deliveryRatio)}`,
      isReached: deliveries >= GOALS.deliveryRatio,
    },
    {
      name: '  until the last reader has it, median',
      cells: [ms(median(served.slow)), ms(median(bare.slow)), times(last)],
      goal: `at most ${times(GOALS.lastReaderRatio)}`,
      isReached: last <= GOALS.lastReaderRatio,
    },
    {
      name: '10 items a second: deliveries for a second of CPU time',
      cells: [
        rate(served.fast.perCpuSecond),
        rate(bare.fast.perCpuSecond),
        times(served.fast.perCpuSecond / bare.fast.perCpuSecond),
      ],
      goal: '',
      isReached: true,
    },
    {
      name: '  greatest lag of the last reader',
      cells: [ms(lag), ms(bareLag), times(lag / bareLag)],
      goal: `at most ${ms(GOALS.lagMs)}, or ${times(GOALS.lagRatio)}`,
      isReached: lag <= Math.max(GOALS.lagMs, GOALS.lagRatio * bareLag),
    },
  ];
}

function absoluteRows(served, bare, items) {
  const perStream = served.bytesPerStream - bare.bytesPerStream;
  const grown = served.grownBytesPerStream - bare.grownBytesPerStream;
  return [
    {
      name: '  event-loop delay, p99 (10 ms: none)',
      cells: [ms(served.fast.loopDelayMs), ms(bare.fast.loopDelayMs), ''],
      goal: `at most ${ms(GOALS.loopDelayMs)}`,
      isReached: served.fast.loopDelayMs <= GOALS.loopDelayMs,
    },
    {
      name: `${rate(served.few.streams)} streams: until the last reader has it, p99`,
      cells: [ms(p99(served.few)), ms(p99(bare.few)), ''],
      goal: `at most ${ms(GOALS.fewLastReaderMs)}`,
      isReached: p99(served.few) <= GOALS.fewLastReaderMs,
    },
    {
      name: 'memory of an idle stream',
      cells: [kb(served.bytesPerStream), kb(bare.bytesPerStream), kb(perStream)],
      goal: `at most ${kb(GOALS.bytesPerStream)} more`,
      isReached: perStream <= GOALS.bytesPerStream,
    },
    {
      name: `  growth of a stream after ${rate(items)} items`,
      cells: [kb(served.grownBytesPerStream), kb(bare.grownBytesPerStream), kb(grown)],
      goal: `none (${kb(GOALS.grownBytesPerStream)})`,
      isReached: grown <= GOALS.grownBytesPerStream,
    },
    {
      name: 'window of the newest changes, at most',
      cells: [mb(served.windowBytesMax), '', ''],
      goal: `at most ${mb(GOALS.windowBytes)}`,
      isReached: served.windowBytesMax <= GOALS.windowBytes,
    },
  ];
}

/** `isReached`: `!` marks a row that has not reached its goal. */
export function printRow({ name, cells, goal, isReached }) {
  console.log(`${name.padEnd(NAME_WIDTH)}${columns(cells)}  ${isReached ? ' ' : '!'} ${goal}`);
}

const times = (value) => `× ${value.toFixed(2)}`;
const columns = (texts) => texts.map((text) => text.padStart(COLUMN_WIDTH)).join('');
