import { MultiBar } from 'cli-progress';
import type { HistoryChange } from '../../../packages/client/src/api.js';
import type { OddswireError } from '../../../packages/client/src/errors.js';

export type Output = NodeJS.WritableStream & { readonly isTTY?: boolean };

export type Progress = {
  show(change: Pick<HistoryChange, 'known_at'>): void;
  /** Says why the export waits. */
  wait(failure: OddswireError, ms: number): void;
  /** Prints a line that later progress does not overwrite. */
  print(line: string): void;
  /** Stops showing progress. Lines can still be printed. */
  close(): void;
};

/** `12 345`. */
export const grouped = (count: number): string => count.toLocaleString('en-US').replaceAll(',', ' ');

export const sizeText = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`;

const waitText = ({ message }: OddswireError, ms: number): string => {
  const time = ms < 90_000 ? `${Math.ceil(ms / 1_000)} s` : `${Math.ceil(ms / 60_000)} min`;
  return `${printable(message)} Continues in ${time}.`;
};

/** Control characters from outside must not reach a terminal. */
export const printable = (line: string): string => line.replaceAll(/\p{Cc}/gu, '\ufffd');

/** One line on a terminal, which is written again and again: how much there is, and up to when. Elsewhere only what is printed. */
export function progressOn(output: Output, writtenBytes: () => number): Progress {
  const printLine = (line: string) => void output.write(`${line}\n`);
  if (output.isTTY !== true)
    return {
      show: () => {},
      wait: (failure, ms) => printLine(waitText(failure, ms)),
      print: printLine,
      close: () => {},
    };
  // Ctrl-C must not leave the terminal with line wrapping off.
  const lines = new MultiBar({ stream: output, format: '{text}', linewrap: true });
  const line = lines.create(1, 0, { text: 'waiting for the first change' });
  let changes = 0;
  const print = (text: string) => (lines.isActive ? lines.log(`${text}\n`) : printLine(text));
  return {
    show: ({ known_at }) => {
      changes += 1;
      const text = `${grouped(changes)} changes, up to ${printable(known_at)}, ${sizeText(writtenBytes())}`;
      line.update(0, { text });
    },
    wait: (failure, ms) => print(waitText(failure, ms)),
    print,
    close: () => {
      if (!lines.isActive) return;
      lines.update(); // `stop` alone would lose buffered lines.
      lines.stop();
    },
  };
}
