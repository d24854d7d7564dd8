import { MultiBar } from 'cli-progress';

/** How far an import is; `readBytes` is how much of the file that takes up. */
export type Tally = { readonly published: number; readonly rejected: number; readonly readBytes: number };

export type Progress = {
  show(tally: Tally): void;
  /** A line that stays, whatever is shown after it. */
  say(line: string): void;
  /** Afterwards lines are still said, but nothing is shown. */
  close(): void;
};

export type Output = NodeJS.WritableStream & { readonly isTTY?: boolean };

const SHOWN_EVERY_MS = 1_000;

export const counts = ({ published, rejected }: Tally): string =>
  `${published} published, ${rejected} rejected`;

/** A bar for a person at a terminal, if the length of the file is known; lines for everything else. */
export const progressOn = (output: Output, totalBytes: number | null, now: () => number): Progress =>
  output.isTTY === true && totalBytes !== null
    ? barProgress(output, totalBytes)
    : lineProgress(output, totalBytes, now);

function lineProgress(output: Output, totalBytes: number | null, now: () => number): Progress {
  let shownAt = now();
  const say = (line: string) => void output.write(`${line}\n`);
  return {
    show: (tally) => {
      const at = now();
      if (at - shownAt < SHOWN_EVERY_MS) return;
      shownAt = at;
      const share = totalBytes ? ` (${Math.floor((100 * tally.readBytes) / totalBytes)} %)` : '';
      say(`${counts(tally)}${share}`);
    },
    say,
    close: () => {},
  };
}

function barProgress(output: Output, totalBytes: number): Progress {
  const bars = new MultiBar({
    stream: output,
    format: '{bar} {percentage} % | {counts}',
    barsize: 30,
    // A bar that is cut off by Ctrl-C would leave the terminal without line wrapping.
    linewrap: true,
  });
  let bar: ReturnType<typeof bars.create> | undefined;
  return {
    show: (tally) => {
      const payload = { counts: counts(tally) };
      if (bar === undefined) bar = bars.create(totalBytes, tally.readBytes, payload);
      else bar.update(tally.readBytes, payload);
    },
    say: (line) => {
      if (bars.isActive) bars.log(`${line}\n`);
      else output.write(`${line}\n`);
    },
    close: () => {
      if (!bars.isActive) return;
      bars.update(); // Stopping alone would lose the lines that wait to be written.
      bars.stop();
    },
  };
}
