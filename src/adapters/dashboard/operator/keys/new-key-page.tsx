import type { Account } from '../../../../domain/accounts/account.js';
import type { ApiKey } from '../../../../domain/keys/api-key.js';
import type { KeyValue } from '../../../../domain/keys/key-value.js';
import { LABEL_LENGTH } from '../../../../domain/keys/label.js';
import { NewKeyValue } from '../../keys/key-value.js';
import { Layout } from '../../page/layout.js';
import { Notice } from '../../page/notice.js';
import type { Viewer } from '../../state.js';
import { accountPath, CONSOLE_PATH, tabPath } from '../addresses.js';
import { type ReasonFault, ReasonForm } from '../reason-form.js';

/** What the fields show. */
type Entries = { readonly label: string; readonly reason: string };

export const NO_ENTRIES: Entries = { label: '', reason: '' };

export type NewKeyFormProps = {
  readonly viewer: Viewer;
  readonly account: Account;
  /** The key that the new one replaces; null for one more. */
  readonly older: ApiKey | null;
  readonly path: string;
  /** How much of the allowance is used; null for a rotation, which needs none. */
  readonly allowance: string | null;
  /** Why no key can be created; null if one can. */
  readonly why: string | null;
  readonly entries: Entries;
  readonly fault: string | null;
  readonly reasonFault: ReasonFault | null;
};

export const NewKeyFormPage = (props: NewKeyFormProps) => {
  const { viewer, account, older, why, fault } = props;
  const text = fault ?? why;
  return (
    <Layout
      title={older === null ? 'Create key' : `Rotate ${older.prefix}…`}
      viewer={viewer}
      activePath={CONSOLE_PATH}
      styles={['console.css']}
    >
      {text !== null && (
        <Notice kind="bad">
          <p>{text}</p>
        </Notice>
      )}
      <p>
        Account <a href={accountPath(account.id)}>{account.email}</a>
        {props.allowance !== null && `. ${props.allowance}`}
      </p>
      {why === null && <Form {...props} />}
    </Layout>
  );
};

const Form = ({ viewer, account, older, path, entries, reasonFault }: NewKeyFormProps) => (
  <>
    <p>
      {older !== null &&
        'Both keys work until the older one is retired, by its owner or 24 hours after the first request with the new one. '}
      The value is shown once, on the next page. Send it to the owner in a way that nobody else can read. The
      owner is notified by email that there is a new key, without its value.
    </p>
    <ReasonForm
      viewer={viewer}
      action={path}
      button={older === null ? 'Create key' : 'Rotate key'}
      isDangerous={false}
      typed={entries.reason}
      fault={reasonFault}
      fields={
        <>
          <input type="hidden" name="seen" value={account.keys.at(-1)?.id ?? ''} />
          <p>
            <label for="label">Label (optional)</label>
            <input
              id="label"
              name="label"
              maxLength={LABEL_LENGTH.maximum}
              autocomplete="off"
              value={entries.label}
            />
          </p>
        </>
      }
    >
      <a href={tabPath(account.id, 'keys')}>Cancel</a>
    </ReasonForm>
  </>
);

/** The only page that has the value (contract section 5.3). */
export const CreatedKeyPage = ({
  viewer,
  account,
  value,
  publicUrl,
}: {
  readonly viewer: Viewer;
  readonly account: Account;
  readonly value: KeyValue;
  readonly publicUrl: string;
}) => (
  <Layout title="Key created" viewer={viewer} activePath={CONSOLE_PATH} modules={['copy.js']}>
    <p>
      For the account <strong>{account.email}</strong>.
    </p>
    <NewKeyValue value={value} publicUrl={publicUrl} />
    <p>
      <a href={tabPath(account.id, 'keys')}>I have copied the key</a>
    </p>
  </Layout>
);
