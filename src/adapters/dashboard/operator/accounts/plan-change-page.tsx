import type { Account } from '../../../../domain/accounts/account.js';
import type { LimitChange, PlanLimitName } from '../../../../domain/billing/account-plan.js';
import { PLAN_NAMES, type PlanName, type Plans, planTitle } from '../../../../domain/billing/plan.js';
import { CardTable, Cell } from '../../page/card-table.js';
import { Layout } from '../../page/layout.js';
import { Notice } from '../../page/notice.js';
import type { Viewer } from '../../state.js';
import { accountPath, CONSOLE_PATH, planChangePath } from '../addresses.js';
import { type ReasonFault, ReasonForm } from '../reason-form.js';

const LIMIT_NAMES: Readonly<Record<PlanLimitName, string>> = {
  requestsPerMinute: 'Requests per minute',
  requestsPerDay: 'Requests per day',
  keys: 'Keys',
  streams: 'Open streams',
  destinations: 'Destinations',
};

/** What happens to a use beyond the new limit. */
const BEYOND: Readonly<Record<PlanLimitName, string>> = {
  requestsPerMinute: '',
  requestsPerDay: '',
  keys: 'They keep working. No key can be created until fewer are in use.',
  streams: '',
  destinations: 'They keep working. None can be created until fewer are left.',
};

type Preview = { readonly plan: PlanName; readonly changes: readonly LimitChange[] };

type Props = {
  readonly viewer: Viewer;
  readonly account: Account;
  readonly plans: Plans;
  /** Null before another plan is chosen. */
  readonly preview: Preview | null;
  /** Why the plan cannot be changed. */
  readonly why: string | null;
  readonly fault: ReasonFault | null;
};

export const PlanChangePage = (props: Props) => {
  const { viewer, account, plans, preview, why } = props;
  return (
    <Layout title="Change plan" viewer={viewer} activePath={CONSOLE_PATH} styles={['console.css']}>
      {why !== null && (
        <Notice kind="bad">
          <p>{why}</p>
        </Notice>
      )}
      <p>
        Account <a href={accountPath(account.id)}>{account.email}</a>, plan{' '}
        <strong>{planTitle(plans, account.subscription.plan)}</strong>
      </p>
      {why === null && <Choice {...props} />}
      {why === null && preview !== null && <Confirmation {...props} preview={preview} />}
    </Layout>
  );
};

/** A form that changes nothing: its answer shows what the plan would change. */
const Choice = ({ account, plans, preview }: Props) => (
  <form method="get" action={planChangePath(account.id)} class="inline">
    <label for="to">New plan</label>
    <select id="to" name="to">
      {PLAN_NAMES.filter((name) => name !== account.subscription.plan).map((name) => (
        <option key={name} value={name} selected={name === preview?.plan}>
          {planTitle(plans, name)}
        </option>
      ))}
    </select>
    <button type="submit" class={preview === null ? undefined : 'plain'}>
      Show effect
    </button>
  </form>
);

const NOW = { label: 'Now', isNumber: true } as const;
const THEN = { label: 'Then', isNumber: true } as const;
const IN_USE = { label: 'In use', isNumber: true } as const;

const Confirmation = ({ viewer, account, plans, preview, fault }: Props & { readonly preview: Preview }) => {
  const { plan, changes } = preview;
  const title = planTitle(plans, plan);
  return (
    <section aria-labelledby="effect">
      <h2 id="effect">{`Effect of the plan ${title}`}</h2>
      <CardTable caption="Limits of the account" columns={['Limit', NOW, THEN, IN_USE]}>
        {changes.map((change) => (
          <tr key={change.limit}>
            <th scope="row">{LIMIT_NAMES[change.limit]}</th>
            <Cell of={NOW}>{change.before.toLocaleString('en-US')}</Cell>
            <Cell of={THEN}>{change.after.toLocaleString('en-US')}</Cell>
            <Cell of={IN_USE}>{change.inUse === null ? '–' : change.inUse.toLocaleString('en-US')}</Cell>
          </tr>
        ))}
      </CardTable>
      <Effects changes={changes} />
      <ReasonForm
        {...{ viewer, fault }}
        action={planChangePath(account.id)}
        button={`Change to ${title}`}
        isDangerous={false}
        fields={
          <>
            <input type="hidden" name="seen" value={account.subscription.plan} />
            <input type="hidden" name="to" value={plan} />
          </>
        }
      >
        <a href={accountPath(account.id)}>Cancel</a>
      </ReasonForm>
    </section>
  );
};

const Effects = ({ changes }: Pick<Preview, 'changes'>) => {
  const exceeded = changes.filter(({ beyond }) => beyond > 0);
  const streams = changes.find(({ limit }) => limit === 'streams');
  return (
    <ul>
      <li>The requests of this minute and of today stay counted, and count against the new limits.</li>
      {exceeded.map(({ limit, beyond }) => (
        <li key={limit}>
          {LIMIT_NAMES[limit]} beyond the new limit: {beyond}. {BEYOND[limit]}
        </li>
      ))}
      {streams !== undefined && streams.after < streams.before && (
        <li>Open streams beyond {streams.after} end, the newest first.</li>
      )}
    </ul>
  );
};
