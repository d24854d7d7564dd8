import type { ComponentChildren } from 'preact';

export type Column = string | { readonly label: string; readonly isNumber: true };

const labelOf = (column: Column): string => (typeof column === 'string' ? column : column.label);
const classOf = (column: Column): string | undefined => (typeof column === 'string' ? undefined : 'number');

/** A table. On a phone each row is a card, and each cell shows the label of its column. */
export const CardTable = ({
  caption,
  columns,
  variant,
  hasGroups = false,
  children,
}: {
  readonly caption: string;
  readonly columns: readonly Column[];
  /** Another class of the table, for its own widths and heights. */
  readonly variant?: string;
  /** Whether the children are `tbody` elements, one for each group of rows. */
  readonly hasGroups?: boolean;
  /** Rows. The first cell is the row heading, the others are `Cell`. */
  readonly children: ComponentChildren;
}) => (
  <div class="wide-content">
    <table class={variant === undefined ? 'cards' : `cards ${variant}`}>
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
      {hasGroups ? children : <tbody>{children}</tbody>}
    </table>
  </div>
);

export const Cell = ({
  of,
  liveId,
  children,
}: {
  readonly of: Column;
  /** The id of a cell that a script keeps up to date (`browser/live.ts`). */
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
