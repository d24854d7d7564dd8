import type { NotedPurge } from '../../../../application/ports/feed/feed-past.js';
import { REASON_LENGTH } from '../../../../domain/accounts/reason.js';
import { CardTable, Cell } from '../../page/card-table.js';
import { FormToken, Layout } from '../../page/layout.js';
import { At } from '../../page/moment.js';
import { Notice } from '../../page/notice.js';
import type { Viewer } from '../../state.js';
import { PURGES_PATH } from '../addresses.js';

/** Why a form was refused, with what was typed. */
export type PurgeFault = { readonly id: string; readonly reason: string; readonly text: string };

export const PurgesPage = ({
  viewer,
  purges,
  isDone,
  id,
  fault,
}: {
  readonly viewer: Viewer;
  readonly purges: readonly NotedPurge[];
  readonly isDone: boolean;
  /** Of the item that the form names at first. */
  readonly id: string;
  readonly fault: PurgeFault | null;
}) => (
  <Layout title="Purges" viewer={viewer} activePath={PURGES_PATH}>
    {isDone && (
      <Notice kind="good">
        <p>No version of the item has its text any more.</p>
      </Notice>
    )}
    <p>
      A purge erases every version of an item, in the feed and in the history. Use it for a text that must be
      kept nowhere. The publisher retracts items that are wrong.
    </p>
    <PurgeForm {...{ viewer, id, fault }} />
    <h2>Newest purges</h2>
    {purges.length === 0 ? <p>None.</p> : <PurgeTable purges={purges} />}
  </Layout>
);

const PurgeForm = ({
  viewer,
  id,
  fault,
}: {
  readonly viewer: Viewer;
  readonly id: string;
  readonly fault: PurgeFault | null;
}) => (
  <form method="post" action={PURGES_PATH}>
    <FormToken viewer={viewer} />
    {fault !== null && (
      <Notice kind="bad">
        <p>{fault.text}</p>
      </Notice>
    )}
    <p>
      <label for="id">Id of the item</label>
      <input id="id" name="id" required autocomplete="off" value={fault?.id ?? id} />
    </p>
    <label for="reason">Reason</label>
    <textarea
      id="reason"
      name="reason"
      rows={3}
      required
      maxLength={REASON_LENGTH.maximum}
      aria-describedby="reason-note"
      value={fault?.reason ?? ''}
    />
    <p id="reason-note" class="quiet">
      Stored for good with your name. Do not repeat the text that must go.
    </p>
    <p>
      <label>
        <input type="checkbox" name="sure" value="yes" required /> Erase every version. This cannot be undone.
      </label>
    </p>
    <button type="submit" class="danger">
      Purge
    </button>
  </form>
);

const PurgeTable = ({ purges }: { readonly purges: readonly NotedPurge[] }) => (
  <CardTable caption="Purges, newest first" columns={['Item', 'Purged', 'By', 'Reason']}>
    {purges.map(({ id, knownAt, actor, reason }) => (
      <tr key={`${id} ${knownAt}`}>
        <th scope="row">
          <code>{id}</code>
        </th>
        <Cell of="Purged">
          <At at={knownAt} />
        </Cell>
        <Cell of="By">{actor}</Cell>
        <Cell of="Reason">{reason}</Cell>
      </tr>
    ))}
  </CardTable>
);
