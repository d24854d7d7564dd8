const NAME_WIDTH = 56;
const COLUMN_WIDTH = 14;
const KILOBYTE = 1_000;

/** What users see. The comparison with the bare loop is information, and no goal. */
const GOALS = {
  lastReaderMs: 100,
  requestMs: 25,
  loopDelayMs: 25,
  bytesPerStream: 8 * KILOBYTE,
  grownBytesPerStream: 1 * KILOBYTE,
};

const at = (millis, share) => millis[Math.ceil(share * millis.length) - 1];
const median = ({ millis }) => at(millis, 0.5);
const p99 = ({ millis }) => at(millis, 0.99);
const ms = (value) => `${value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0)} ms`;
const kb = (value) => `${(value / KILOBYTE).toFixed(1)} KB`;
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
      goal: '',
      isReached: true,
    },
    {
      name: '  until the last reader has it, median',
      cells: [ms(median(served.slow)), ms(median(bare.slow)), times(last)],
      goal: '',
      isReached: true,
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
      goal: '',
      isReached: true,
    },
  ];
}

function absoluteRows(served, bare, items) {
  const perStream = served.bytesPerStream - bare.bytesPerStream;
  const grown = served.grownBytesPerStream - bare.grownBytesPerStream;
  return [
    {
      name: '1 item a second: event-loop delay, p99 (10 ms: none)',
      cells: [ms(served.slow.loopDelayMs), ms(bare.slow.loopDelayMs), ''],
      goal: `at most ${ms(GOALS.loopDelayMs)}`,
      isReached: served.slow.loopDelayMs <= GOALS.loopDelayMs,
    },
    {
      name: `${rate(served.few.streams)} streams: until the last reader has it, p99`,
      cells: [ms(p99(served.few)), ms(p99(bare.few)), ''],
      goal: `at most ${ms(GOALS.lastReaderMs)}`,
      isReached: p99(served.few) <= GOALS.lastReaderMs,
    },
    {
      name: '  a page meanwhile, p99',
      cells: [ms(at(served.few.requestMillis, 0.99)), '', ''],
      goal: `at most ${ms(GOALS.requestMs)}`,
      isReached: at(served.few.requestMillis, 0.99) <= GOALS.requestMs,
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
  ];
}

/** `isReached`: `!` marks a row that has not reached its goal. */
export function printRow({ name, cells, goal, isReached }) {
  console.log(`${name.padEnd(NAME_WIDTH)}${columns(cells)}  ${isReached ? ' ' : '!'} ${goal}`);
}

const times = (value) => `× ${value.toFixed(2)}`;
const columns = (texts) => texts.map((text) => text.padStart(COLUMN_WIDTH)).join('');
