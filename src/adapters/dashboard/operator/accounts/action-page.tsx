import type { Account } from '../../../../domain/accounts/account.js';
import type { Reason } from '../../../../domain/accounts/reason.js';
import type { ApiKey } from '../../../../domain/keys/api-key.js';
import type { Refusal } from '../../../../domain/refusal.js';
import { Layout, type Viewer } from '../../page/layout.js';
import { Notice } from '../../page/notice.js';
import { accountPath, CONSOLE_PATH } from '../addresses.js';
import { type ReasonFault, ReasonForm } from '../reason-form.js';
import type { ActionText } from './action-text.js';

/** Something that an operator may do, before it is done. */
export type PlannedAction = {
  readonly text: ActionText;
  /** The key that it is done to; null: the whole account. */
  readonly key: ApiKey | null;
  readonly path: string;
  /** Whether it would change anything, as things stand. */
  readonly isOffered: boolean;
  /** The word in the address of the page that follows (`doneWords`). */
  readonly done: string;
  readonly action: (reason: Reason, actor: string) => Promise<Account | Refusal>;
};

/** Says what an act does before it is done, and asks why. */
export const ActionPage = ({
  viewer,
  account,
  planned: { text, key, path },
  fault,
}: {
  readonly viewer: Viewer;
  readonly account: Account;
  readonly planned: PlannedAction;
  readonly fault: ReasonFault | null;
}) => {
  const { name, consequence, isDangerous } = text;
  return (
    <Layout title={key === null ? name : `${name} ${key.prefix}…`} viewer={viewer} activePath={CONSOLE_PATH}>
      <p>
        Of <strong>{account.email}</strong>
        {key !== null && key.label !== null && (
          <>
            , labelled <strong>{key.label}</strong>
          </>
        )}
        .
      </p>
      <Notice kind={isDangerous ? 'warning' : 'good'}>
        <p>{consequence}</p>
      </Notice>
      <ReasonForm {...{ viewer, isDangerous, fault }} action={path} button={name}>
        <a href={accountPath(account.id)}>Leave it as it is</a>
      </ReasonForm>
    </Layout>
  );
};
