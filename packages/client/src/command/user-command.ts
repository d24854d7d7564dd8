import { Oddswire } from '../oddswire.js';
import type { Options } from '../options.js';
import {
  type Color,
  columnsOf,
  type Form,
  flushed,
  formOf,
  hasColors,
  type Output,
  painted,
  writeLine,
} from './output.js';
import type { Arguments } from './read-arguments.js';
import { type Column, fitted, type Row, tableLines } from './table.js';

/** 0: done. 1: a failure that may pass, or something was not found. 2: the same command would fail again. 130: stopped. */
export type ExitCode = 0 | 1 | 2 | 130;

/** What a program takes from its process. */
export type ProcessParts = {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Results. */
  readonly output: Output;
  /** Messages for people. */
  readonly errors: Output;
  readonly input: AsyncIterable<Uint8Array>;
  readonly signal: AbortSignal;
  readonly now: () => Date;
  readonly random: () => number;
  /** Waits, and rejects when the signal is aborted. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<unknown>;
  readonly fetch?: typeof fetch;
};

/** A command that is running: its arguments, and where its results go. */
export class Running {
  readonly parts: ProcessParts;
  readonly values: Arguments['values'];
  readonly positionals: readonly string[];
  readonly form: Form;

  constructor(parts: ProcessParts, { values, positionals }: Arguments) {
    this.parts = parts;
    this.values = values;
    this.positionals = positionals;
    this.form = formOf(parts.output, values['json'] === true);
  }

  get signal(): AbortSignal {
    return this.parts.signal;
  }

  /** A client that reports each failure before it tries again. */
  client(): Oddswire {
    const { environment, fetch } = this.parts;
    const url = String(this.values['url'] || environment['ODDSWIRE_URL'] || 'http://localhost:8080');
    const onRetry: Options['onRetry'] = ({ message }, ms) =>
      this.say(`${message} Tries again in ${Math.ceil(ms / 1_000)} s.`);
    return new Oddswire({ url, key: environment['ODDSWIRE_KEY'], onRetry, ...(fetch && { fetch }) });
  }

  line(text: string): Promise<void> {
    return writeLine(this.parts.output, text, this.signal);
  }

  /** Waits until every line has left the process. */
  flushed(): Promise<void> {
    return flushed(this.parts.output, this.signal);
  }

  json(value: object): Promise<void> {
    return this.line(JSON.stringify(value));
  }

  async table(columns: readonly Column[], rows: readonly Row[]): Promise<void> {
    const [titles = '', ...lines] = tableLines(columns, rows, columnsOf(this.parts.output));
    for (const line of [this.paint(titles, 'bold'), ...lines]) await this.line(line);
  }

  /** A line that is cut to the width of the terminal. Its mark, if it has one, is in color. */
  fittedLine(text: string, mark = '', color: Color = 'bold'): Promise<void> {
    const line = fitted(text, columnsOf(this.parts.output));
    return this.line(mark === '' ? line : line.replace(mark, this.paint(mark, color)));
  }

  paint(text: string, color: Color): string {
    const { output, environment } = this.parts;
    return hasColors(output, environment) ? painted(text, color) : text;
  }

  /** A message for a person, which is no result. */
  say(text: string): void {
    this.parts.errors.write(`oddswire: ${text}\n`);
  }
}
