import type { Account } from '../../../../domain/accounts/account.js';
import type { Reason } from '../../../../domain/accounts/reason.js';
import type { ApiKey } from '../../../../domain/keys/api-key.js';
import type { Refusal } from '../../../../domain/refusal.js';
import { FormToken, Layout } from '../../page/layout.js';
import { Notice } from '../../page/notice.js';
import type { Viewer } from '../../state.js';
import { accountPath, CONSOLE_PATH } from '../addresses.js';
import { type ReasonFault, ReasonForm } from '../reason-form.js';
import type { ActionText } from './action-text.js';

type Answer = Promise<Account | Refusal>;

/** What the form asks for: a reason, or only a confirmation if no reason is stored. */
export type ActionForm =
  | { readonly asks: 'reason'; readonly submit: (reason: Reason, actor: string) => Answer }
  | { readonly asks: 'confirmation'; readonly submit: (actor: string) => Answer };

/** An operator action that awaits its form. */
export type PlannedAction = {
  readonly text: ActionText;
  /** The key of the action; null if it is on the account. */
  readonly key: ApiKey | null;
  readonly path: string;
  /** Whether the action would change anything now. */
  readonly isOffered: boolean;
  /** The code in the address of the next page, which shows its message (`doneNotice`). */
  readonly done: string;
  readonly form: ActionForm;
};

/** Explains the consequence of an action and asks for its reason, or for a confirmation. */
export const ActionPage = ({
  viewer,
  account,
  planned: { text, key, path, form },
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
        Account <strong>{account.email}</strong>
        {key !== null && key.label !== null && (
          <>
            , key <strong>{key.label}</strong>
          </>
        )}
      </p>
      <Notice kind={isDangerous ? 'warning' : 'good'}>
        <p>{consequence}</p>
      </Notice>
      {form.asks === 'reason' ? (
        <ReasonForm {...{ viewer, isDangerous, fault }} action={path} button={name}>
          <Cancel account={account} />
        </ReasonForm>
      ) : (
        <form method="post" action={path}>
          <FormToken viewer={viewer} />
          <button type="submit" class={isDangerous ? 'danger' : undefined}>
            {name}
          </button>{' '}
          <Cancel account={account} />
        </form>
      )}
    </Layout>
  );
};

const Cancel = ({ account }: { readonly account: Account }) => <a href={accountPath(account.id)}>Cancel</a>;
