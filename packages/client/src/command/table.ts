import { printable } from './printable.js';

export type Column = {
  readonly title: string;
  /** Becomes shorter if the table is wider than the terminal. One column of a table has this. */
  readonly isLong?: true;
};

export type Row = readonly string[];

const GAP = '  ';
const LONG_MIN = 20;

/** The lines of a table, the first one with the titles. No line is longer than `width`, unless the terminal is very narrow. */
export function tableLines(
  columns: readonly Column[],
  rows: readonly Row[],
  width: number,
): readonly string[] {
  const titles = columns.map(({ title }) => title.toUpperCase());
  const cells = [titles, ...rows.map((row) => row.map(printable))];
  const widths = columns.map((_, i) => Math.max(...cells.map((row) => lengthOf(row[i] ?? ''))));
  const others = widths.filter((_, i) => !columns[i]?.isLong).reduce((sum, one) => sum + one, 0);
  const left = Math.max(LONG_MIN, width - others - GAP.length * (columns.length - 1));
  const fitted = widths.map((one, i) => (columns[i]?.isLong ? Math.min(one, left) : one));
  return cells.map((row) =>
    row
      .map((cell, i) => padded(cell, fitted[i] ?? 0))
      .join(GAP)
      .trimEnd(),
  );
}

/** A text cut to a width, with `…` at the cut. */
export function fitted(text: string, width: number): string {
  const characters = [...printable(text)];
  return characters.length <= width ? characters.join('') : `${characters.slice(0, width - 1).join('')}…`;
}

const lengthOf = (text: string): number => [...text].length;

const padded = (cell: string, width: number): string => {
  const text = fitted(cell, width);
  return text + ' '.repeat(width - lengthOf(text));
};
