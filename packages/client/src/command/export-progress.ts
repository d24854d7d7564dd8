import type { HistoryChange } from '../api.js';
import type { OddswireError } from '../errors.js';
import type { Output } from './output.js';
import { printable } from './printable.js';

/** To the start of the line of a terminal, whose text is erased. */
const ERASED_LINE = '\r\u001b[2K';
const REDRAW_MS = 100;

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
  let changes = 0;
  let shownAt = Number.NEGATIVE_INFINITY;
  let text = 'waiting for the first change';
  let isActive = true;
  const draw = () => void output.write(`${ERASED_LINE}${text}`);
  const print = (line: string) => {
    output.write(`${ERASED_LINE}${line}\n`);
    if (isActive) draw();
  };
  draw();
  return {
    show: ({ known_at }) => {
      changes += 1;
      text = `${grouped(changes)} changes, up to ${printable(known_at)}, ${sizeText(writtenBytes())}`;
      if (performance.now() - shownAt < REDRAW_MS) return;
      shownAt = performance.now();
      draw();
    },
    wait: (failure, ms) => print(waitText(failure, ms)),
    print,
    close: () => {
      if (!isActive) return;
      isActive = false;
      output.write(`${ERASED_LINE}${text}\n`);
    },
  };
}
