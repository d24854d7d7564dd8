import { type Account, type AuditEntry, causeOf } from '../../../../domain/accounts/account.js';
import type { KeyId } from '../../../../domain/keys/api-key.js';
import { CardTable, Cell } from '../../page/card-table.js';
import { At } from '../../page/moment.js';
import { CAUSE_NAMES, capitalized } from '../../page/state-text.js';
import { tabPath } from '../addresses.js';
import { actorText, EVENT_TEXT } from './audit-text.js';

type AuditProps = {
  readonly account: Account;
  /** Newest first. */
  readonly entries: readonly AuditEntry[];
  /** The number of entries before these; null if there are none. */
  readonly older: number | null;
};

/** Changes of an account and its keys, with actor and reason (D25). */
export const AuditTable = ({ account, entries, older }: AuditProps) => (
  <>
    <CardTable
      caption="Audit log, newest first"
      columns={['Time', 'Event', 'Actor', 'Cause', 'Key', 'Reason']}
    >
      {entries.map((entry) => (
        <tr key={`${entry.at} ${entry.event} ${entry.key}`}>
          <th scope="row">
            <At at={entry.at} />
          </th>
          <Cell of="Event">{EVENT_TEXT[entry.event]}</Cell>
          <Cell of="Actor">{actorText(entry.actor)}</Cell>
          <Cell of="Cause">{causeText(entry)}</Cell>
          <Cell of="Key">{entry.key === null ? '–' : <KeyName account={account} id={entry.key} />}</Cell>
          <Cell of="Reason">
            <span class="typed">{entry.reason ?? '–'}</span>
          </Cell>
        </tr>
      ))}
    </CardTable>
    {older !== null && (
      <p>
        <a href={`${tabPath(account.id, 'audit')}?before=${older}`}>Older entries</a>
      </p>
    )}
  </>
);

function causeText(entry: AuditEntry): string {
  const cause = causeOf(entry);
  return cause === null ? '–' : capitalized(CAUSE_NAMES[cause]);
}

const KeyName = ({ account, id }: { readonly account: Account; readonly id: KeyId }) => {
  const key = account.keys.find((one) => one.id === id);
  return <code>{key === undefined ? id : `${key.prefix}…`}</code>;
};
