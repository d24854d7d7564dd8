import { once } from 'node:events';
import type { WriteStream } from 'node:tty';

/** A stream of the process: a terminal, a pipe or a file. */
export type Output = NodeJS.WritableStream & Partial<Pick<WriteStream, 'isTTY' | 'columns'>>;

type Environment = Readonly<Record<string, string | undefined>>;

/** Tables are for people. Programs, and people who ask with `--json`, get a line of JSON for each result. */
export type Form = 'table' | 'lines';

export const formOf = ({ isTTY }: Output, isJson: boolean): Form =>
  isTTY === true && !isJson ? 'table' : 'lines';

/** Whether colors are wanted: `NO_COLOR` (https://no-color.org) counts with any value that is not empty. */
export const hasColors = ({ isTTY }: Output, { NO_COLOR = '', TERM }: Environment): boolean =>
  isTTY === true && NO_COLOR === '' && TERM !== 'dumb';

const COLORS = { bold: 1, red: 31, green: 32 } as const;

export type Color = keyof typeof COLORS;

export const painted = (text: string, color: Color): string => `\u001b[${COLORS[color]}m${text}\u001b[0m`;

const COLUMNS = 100;

export const columnsOf = ({ columns }: Output): number => columns || COLUMNS;

/** Waits until what was written has left the process. Rejects if the reader of the pipe has ended, or when the signal is aborted. */
export function flushed(output: Output, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort);
    output.write('', (fault) => {
      signal.removeEventListener('abort', abort);
      // The event `error` comes first: the process then knows that its reader has ended.
      if (fault) setImmediate(() => reject(fault));
      else resolve();
    });
  });
}

/** Writes a line, and waits while the reader is slower. Rejects when the signal is aborted. */
export async function writeLine(output: Output, line: string, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  if (!output.write(`${line}\n`)) await once(output, 'drain', { signal });
}
