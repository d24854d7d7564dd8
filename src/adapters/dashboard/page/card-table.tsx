import type { ComponentChildren } from 'preact';

export type Column = string | { readonly words: string; readonly isNumber: true };

const wordsOf = (column: Column): string => (typeof column === 'string' ? column : column.words);
const classOf = (column: Column): string | undefined => (typeof column === 'string' ? undefined : 'number');

/** A table whose rows are cards on a phone, where each cell says which column it is of. */
export const CardTable = ({
  caption,
  columns,
  children,
}: {
  readonly caption: string;
  readonly columns: readonly Column[];
  /** Rows, whose first cell is their heading and whose others are of `Cell`. */
  readonly children: ComponentChildren;
}) => (
  <div class="wide-content">
    <table class="cards">
      <caption>{caption}</caption>
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={wordsOf(column)} scope="col" class={classOf(column)}>
              {wordsOf(column)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  </div>
);

export const Cell = ({
  of,
  liveId,
  children,
}: {
  readonly of: Column;
  /** Names a cell that is kept up to date where there is script (`browser/live.ts`). */
  readonly liveId?: string;
  readonly children: ComponentChildren;
}) => (
  <td
    data-column={wordsOf(of)}
    class={classOf(of)}
    id={liveId}
    data-live={liveId === undefined ? undefined : ''}
  >
    <div>{children}</div>
  </td>
);
