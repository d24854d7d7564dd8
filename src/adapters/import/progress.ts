import { MultiBar } from 'cli-progress';

/** The progress of an import. `readBytes` is the number of bytes of the file that were sent. */
export type Tally = {
  readonly published: number;
  readonly unchanged: number;
  readonly rejected: number;
  readonly readBytes: number;
};

export type Progress = {
  show(tally: Tally): void;
  /** Prints a line that later progress does not overwrite. */
  print(line: string): void;
  /** Stops showing progress. Lines can still be printed. */
  close(): void;
};

export type Output = NodeJS.WritableStream & { readonly isTTY?: boolean };

const SHOWN_EVERY_MS = 1_000;

export const counts = ({ published, unchanged, rejected }: Tally): string =>
  `${published} published, ${unchanged > 0 ? `${unchanged} unchanged, ` : ''}${rejected} rejected`;

/** The counts of a dry run. */
export const checkedCounts = ({ published, unchanged, rejected }: Tally): string =>
  `${published} would be published, ${unchanged} are in the feed already, ${rejected} would be rejected`;

type Shown = { readonly now: () => number; readonly count: (tally: Tally) => string };

/** A progress bar on a terminal if the length of the file is known, else lines. */
export const progressOn = (output: Output, totalBytes: number | null, shown: Shown): Progress =>
  output.isTTY === true && totalBytes !== null
    ? barProgress(output, totalBytes, shown)
    : lineProgress(output, totalBytes, shown);

function lineProgress(output: Output, totalBytes: number | null, { now, count }: Shown): Progress {
  let shownAt = now();
  const print = (line: string) => void output.write(`${line}\n`);
  return {
    show: (tally) => {
      const at = now();
      if (at - shownAt < SHOWN_EVERY_MS) return;
      shownAt = at;
      const share = totalBytes ? ` (${Math.floor((100 * tally.readBytes) / totalBytes)} %)` : '';
      print(`${count(tally)}${share}`);
    },
    print,
    close: () => {},
  };
}

function barProgress(output: Output, totalBytes: number, { count }: Shown): Progress {
  const bars = new MultiBar({
    stream: output,
    format: '{bar} {percentage} % | {counts}',
    barsize: 30,
    // Without this option, Ctrl-C would leave the terminal with line wrapping off.
    linewrap: true,
  });
  let bar: ReturnType<typeof bars.create> | undefined;
  return {
    show: (tally) => {
      const payload = { counts: count(tally) };
      if (bar === undefined) bar = bars.create(totalBytes, tally.readBytes, payload);
      else bar.update(tally.readBytes, payload);
    },
    print: (line) => {
      if (bars.isActive) bars.log(`${line}\n`);
      else output.write(`${line}\n`);
    },
    close: () => {
      if (!bars.isActive) return;
      bars.update(); // `stop` alone would lose buffered lines.
      bars.stop();
    },
  };
}
