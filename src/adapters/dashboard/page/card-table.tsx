import type { ComponentChildren } from 'preact';

export type Column = string | { readonly label: string; readonly isNumber: true };

const labelOf = (column: Column): string => (typeof column === 'string' ? column : column.label);
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
            <th key={labelOf(column)} scope="col" class={classOf(column)}>
              {labelOf(column)}
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
    data-column={labelOf(of)}
    class={classOf(of)}
    id={liveId}
    data-live={liveId === undefined ? undefined : ''}
  >
    <div>{children}</div>
  </td>
);
