import type { RejectedLine } from './internal-post.js';
import type { LineBatch } from './line-batches.js';

/**
 * The most rejected lines that are printed. More lines from a file with one systematic error would hide the other
 * output.
 */
const PRINTED_MAX = 20;

/** Prints the first rejected lines of an import, and the number of the others at its end. */
export class RejectedLines {
  readonly #print: (line: string) => void;
  #count = 0;

  constructor(print: (line: string) => void) {
    this.#print = print;
  }

  add(rejected: readonly RejectedLine[], batch: LineBatch): void {
    const left = Math.max(0, PRINTED_MAX - this.#count);
    for (const line of rejected.slice(0, left)) this.#print(described(line, batch));
    this.#count += rejected.length;
  }

  printRest(): void {
    const rest = this.#count - PRINTED_MAX;
    if (rest === 1) this.#print('… and 1 more line was rejected');
    if (rest > 1) this.#print(`… and ${grouped(rest)} more lines were rejected`);
  }
}

/** Formats a number like `12 345`. */
const grouped = (count: number): string => count.toLocaleString('en-US').replaceAll(',', ' ');

function described({ line, id, errors }: RejectedLine, { numbers }: LineBatch): string {
  const where = `line ${numbers[line - 1] ?? '?'}${id === null ? '' : ` (${id})`}`;
  const faults = errors.map(({ parameter, message }) => `${parameter} ${message}`.trim());
  // Control characters from the file must not reach the terminal.
  return `${where}: ${faults.join('; ')}`.replaceAll(/\p{Cc}/gu, '\ufffd');
}
