import type { Account } from '../../../../domain/accounts/account.js';
import { Layout } from '../../page/layout.js';
import { Notice } from '../../page/notice.js';
import type { Viewer } from '../../state.js';
import { accountPath, CONSOLE_PATH, customerLinkPath, tabPath } from '../addresses.js';
import { type ReasonFault, ReasonForm } from '../reason-form.js';

export type CustomerLinkProps = {
  readonly viewer: Viewer;
  readonly account: Account;
  /** What the fields show. */
  readonly customer: string;
  readonly typed: string;
  readonly fault: string | null;
  readonly reasonFault: ReasonFault | null;
};

export const CustomerLinkPage = (props: CustomerLinkProps) => {
  const { viewer, account, customer, typed, fault, reasonFault } = props;
  return (
    <Layout title="Link customer" viewer={viewer} activePath={CONSOLE_PATH} styles={['console.css']}>
      {fault !== null && (
        <Notice kind="bad">
          <p>{fault}</p>
        </Notice>
      )}
      <p>
        Account <a href={accountPath(account.id)}>{account.email}</a>
      </p>
      <Notice kind="warning">
        <p>
          The events that wait for the customer are applied. Its subscription then determines the plan and
          status of the account. Canceling it revokes the keys of the account. The link cannot be removed:
          compare the email addresses at the payment processor first.
        </p>
      </Notice>
      <ReasonForm
        {...{ viewer, typed }}
        action={customerLinkPath(account.id)}
        button="Link customer"
        isDangerous={true}
        fault={reasonFault}
        fields={
          <p>
            <label for="customer">Customer ID at the payment processor</label>
            <input id="customer" name="customer" required autocomplete="off" value={customer} />
          </p>
        }
      >
        <a href={tabPath(account.id, 'payments')}>Cancel</a>
      </ReasonForm>
    </Layout>
  );
};
