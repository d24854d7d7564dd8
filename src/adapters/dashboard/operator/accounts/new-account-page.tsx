import { PLAN_NAMES, type PlanName, type Plans, planTitle } from '../../../../domain/billing/plan.js';
import { Layout } from '../../page/layout.js';
import { Notice } from '../../page/notice.js';
import type { Viewer } from '../../state.js';
import { CONSOLE_PATH, NEW_ACCOUNT_PATH } from '../addresses.js';
import { type ReasonFault, ReasonForm } from '../reason-form.js';

/** What the fields show. */
type Entries = { readonly email: string; readonly plan: PlanName | null; readonly reason: string };

export const NO_ENTRIES: Entries = { email: '', plan: null, reason: '' };

export type NewAccountProps = {
  readonly viewer: Viewer;
  readonly plans: Plans;
  readonly entries: Entries;
  /** Why the account was not opened. `existing`: the page of the account that has the address. */
  readonly fault: { readonly text: string; readonly existing: string | null } | null;
  readonly reasonFault: ReasonFault | null;
};

export const NewAccountPage = ({ viewer, plans, entries, fault, reasonFault }: NewAccountProps) => (
  <Layout title="Open account" viewer={viewer} activePath={CONSOLE_PATH} styles={['console.css']}>
    {fault !== null && (
      <Notice kind="bad">
        <p>
          {fault.text}
          {fault.existing !== null && (
            <>
              {' '}
              <a href={fault.existing}>View the account</a>
            </>
          )}
        </p>
      </Notice>
    )}
    <p>
      The account is active at once, without a key. Its owner signs in with a link that the service emails on
      request.
    </p>
    <ReasonForm
      viewer={viewer}
      action={NEW_ACCOUNT_PATH}
      button="Open account"
      isDangerous={false}
      typed={entries.reason}
      fault={reasonFault}
      fields={<Fields plans={plans} entries={entries} />}
    >
      <a href={CONSOLE_PATH}>Cancel</a>
    </ReasonForm>
  </Layout>
);

const Fields = ({ plans, entries }: Pick<NewAccountProps, 'plans' | 'entries'>) => (
  <>
    <p>
      <label for="email">Email address of the owner</label>
      <input id="email" name="email" type="email" required autocomplete="off" value={entries.email} />
    </p>
    <p>
      <label for="plan">Plan</label>
      <select id="plan" name="plan" required>
        {PLAN_NAMES.map((name) => (
          <option key={name} value={name} selected={name === entries.plan}>
            {planTitle(plans, name)}
          </option>
        ))}
      </select>
    </p>
  </>
);
