import {
  BEYOND_MAX,
  type Beyond,
  ON_PLAN_MAX,
  type UseBeyond,
} from '../../../../application/billing/read-plan-use.js';
import { PLAN_NAMES, type PlanName, type Plans, planTitle } from '../../../../domain/billing/plan.js';
import type { ProposedLimits } from '../../../../domain/billing/proposed-limits.js';
import { CardTable, Cell } from '../../page/card-table.js';
import { Layout } from '../../page/layout.js';
import { Notice } from '../../page/notice.js';
import type { Viewer } from '../../state.js';
import { accountPath, PLANS_PATH } from '../addresses.js';

export type Question = ProposedLimits & {
  readonly plan: PlanName | null;
  readonly typed: { readonly keys: string; readonly requestsPerDay: string };
  readonly fault: string | null;
};

type Props = {
  readonly viewer: Viewer;
  readonly plans: Plans;
  readonly counts: ReadonlyMap<PlanName, number>;
  readonly question: Question;
  /** Null if nothing was asked. */
  readonly beyond: Beyond | null;
};

export const PlansPage = (props: Props) => {
  const { viewer, plans, question, beyond } = props;
  return (
    <Layout title="Plans" viewer={viewer} activePath={PLANS_PATH} styles={['console.css']}>
      <p>
        The plans of the settings of this instance. A change needs new settings and a restart of every
        instance.
      </p>
      <PlanTable {...props} />
      <h2>Accounts above a new limit</h2>
      <p>Shows whom a lower limit would concern. It changes nothing.</p>
      {question.fault !== null && (
        <Notice kind="bad">
          <p>{question.fault}</p>
        </Notice>
      )}
      <QuestionForm plans={plans} question={question} />
      {beyond !== null && <Answer beyond={beyond} question={question} />}
    </Layout>
  );
};

const number = (label: string) => ({ label, isNumber: true }) as const;
const MINUTE = number('Requests per minute');
const DAY = number('Requests per day');
const KEYS = number('Keys');
const STREAMS = number('Open streams');
const DESTINATIONS = number('Destinations');
const ACCOUNTS = number('Accounts');

const PlanTable = ({ plans, counts }: Pick<Props, 'plans' | 'counts'>) => (
  <CardTable
    caption="Lowest rank first"
    columns={['Plan', 'Price', MINUTE, DAY, KEYS, STREAMS, DESTINATIONS, ACCOUNTS]}
  >
    {PLAN_NAMES.map((name) => {
      const { title, price, ...limits } = plans[name];
      return (
        <tr key={name}>
          <th scope="row">{title}</th>
          <Cell of="Price">{price ?? '–'}</Cell>
          <Cell of={MINUTE}>{text(limits.requestsPerMinute)}</Cell>
          <Cell of={DAY}>{text(limits.requestsPerDay)}</Cell>
          <Cell of={KEYS}>{text(limits.keys)}</Cell>
          <Cell of={STREAMS}>{text(limits.streams)}</Cell>
          <Cell of={DESTINATIONS}>{text(limits.destinations)}</Cell>
          <Cell of={ACCOUNTS}>{upTo(counts.get(name) ?? 0, ON_PLAN_MAX)}</Cell>
        </tr>
      );
    })}
  </CardTable>
);

const text = (value: number): string => value.toLocaleString('en-US');

/** A count that was read up to a maximum. */
const upTo = (count: number, maximum: number): string =>
  count >= maximum ? `${text(maximum)} or more` : text(count);

const QuestionForm = ({ plans, question: { plan, typed } }: Pick<Props, 'plans' | 'question'>) => (
  <form method="get" action={PLANS_PATH}>
    <p>
      <label for="plan">Plan</label>
      <select id="plan" name="plan">
        {PLAN_NAMES.map((name) => (
          <option key={name} value={name} selected={name === plan}>
            {planTitle(plans, name)}
          </option>
        ))}
      </select>
    </p>
    <p>
      <label for="keys">Keys (empty: as now)</label>
      <input id="keys" name="keys" inputMode="numeric" autocomplete="off" value={typed.keys} />
    </p>
    <p>
      <label for="day">Requests per day (empty: as now)</label>
      <input id="day" name="day" inputMode="numeric" autocomplete="off" value={typed.requestsPerDay} />
    </p>
    <button type="submit">Show accounts</button>
  </form>
);

const SHOWN = 20;

const Answer = ({ beyond, question }: { readonly beyond: Beyond; readonly question: Question }) => (
  <>
    {question.keys !== null && (
      <Concerned
        title={`Keys in use: more than ${text(question.keys)}`}
        note="Their keys would keep working. They could create none until fewer are in use."
        used="Keys in use"
        list={beyond.keys}
      />
    )}
    {question.requestsPerDay !== null && (
      <Concerned
        title={`Requests on one day: more than ${text(question.requestsPerDay)}`}
        note="On the busiest of yesterday and today (UTC), refused requests included: some would not have counted."
        used="Requests"
        list={beyond.requestsPerDay}
      />
    )}
  </>
);

const Concerned = ({
  title,
  note,
  used,
  list,
}: {
  readonly title: string;
  readonly note: string;
  readonly used: string;
  /** Null if it could not be read in time. */
  readonly list: readonly UseBeyond[] | null;
}) => (
  <>
    <h3>{title}</h3>
    {list === null ? (
      <p>The accounts could not be counted in time. Try again later.</p>
    ) : (
      <p>
        {list.length === 1 ? '1 account' : `${upTo(list.length, BEYOND_MAX)} accounts`}. {note}
      </p>
    )}
    {list !== null && list.length > 0 && (
      <CardTable caption={`At most ${SHOWN} of them`} columns={['Account', number(used)]}>
        {list.slice(0, SHOWN).map(({ account, used: count }) => (
          <tr key={account.id}>
            <th scope="row">
              <a href={accountPath(account.id)}>{account.email}</a>
            </th>
            <Cell of={number(used)}>{text(count)}</Cell>
          </tr>
        ))}
      </CardTable>
    )}
  </>
);
