import { type Account, type AuditEntry, causeOf } from '../../../domain/account.js';
import type { KeyId } from '../../../domain/api-key.js';
import { Layout, type Viewer } from '../page/layout.js';
import { At } from '../page/moment.js';
import { accountPath, auditPath, CONSOLE_PATH } from './addresses.js';
import { CAUSE_NAMES, EVENT_WORDS } from './audit-words.js';

type AuditProps = {
  readonly account: Account;
  /** The newest first. */
  readonly entries: readonly AuditEntry[];
  /** The number of the first that is left out; null where none is. */
  readonly older: number | null;
};

export const AuditPage = ({ viewer, ...props }: AuditProps & { readonly viewer: Viewer }) => (
  <Layout title={`What was done: ${props.account.email}`} viewer={viewer} place={CONSOLE_PATH}>
    <AuditTable {...props} />
    <p>
      <a href={accountPath(props.account.id)}>Back to the account</a>
    </p>
  </Layout>
);

/** What was done to an account and its keys, by whom and why (D25). */
export const AuditTable = ({ account, entries, older }: AuditProps) => (
  <>
    <div class="wide-content">
      <table class="cards">
        <caption>Audit log, the newest first</caption>
        <thead>
          <tr>
            <th scope="col">When</th>
            <th scope="col">What</th>
            <th scope="col">Who</th>
            <th scope="col">Cause</th>
            <th scope="col">Key</th>
            <th scope="col">Reason</th>
          </tr>
        </thead>
        <tbody>
          {entries.map((entry) => (
            <tr key={`${entry.at} ${entry.event} ${entry.key}`}>
              <th scope="row">
                <At at={entry.at} />
              </th>
              <td data-column="What">{EVENT_WORDS[entry.event]}</td>
              <td data-column="Who">{entry.actor}</td>
              <td data-column="Cause">{causeText(entry)}</td>
              <td data-column="Key">
                {entry.key === null ? '–' : <KeyName account={account} id={entry.key} />}
              </td>
              <td data-column="Reason">
                <span class="typed">{entry.reason ?? '–'}</span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
    {older !== null && (
      <p>
        <a href={`${auditPath(account.id)}?before=${older}`}>Older entries</a>
      </p>
    )}
  </>
);

function causeText(entry: AuditEntry): string {
  const cause = causeOf(entry);
  return cause === null ? '–' : CAUSE_NAMES[cause];
}

const KeyName = ({ account, id }: { readonly account: Account; readonly id: KeyId }) => {
  const key = account.keys.find((one) => one.id === id);
  return <code>{key === undefined ? id : `${key.prefix}…`}</code>;
};
