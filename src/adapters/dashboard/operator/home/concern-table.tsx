import type { ConsoleHome } from '../../../../application/accounts/read-console-home.js';
import type { Concern, ConcernKind } from '../../../../domain/accounts/attention.js';
import type { Moment } from '../../../../domain/moment.js';
import { CardTable, Cell } from '../../page/card-table.js';
import { Ago, Day } from '../../page/moment.js';
import { accountPath, DESTINATIONS_PATH, eventPath } from '../addresses.js';

const REASONS: Readonly<Record<ConcernKind, string>> = {
  payment_event_failed: 'Payment event failed',
  payment_event_waiting: 'Payment event waits for an account',
  dunning_ends: 'Unpaid invoice: access ends soon',
  abuse: 'Suspended for abuse: decide',
  destination_failing: 'Destination fails',
  dunning_ended: 'Unpaid invoice: access ended',
};

/** Where an operator does something about it. */
function pathOf({ kind, id, account }: Concern): string {
  if (id !== null && kind !== 'destination_failing') return eventPath(id);
  return account === null ? DESTINATIONS_PATH : accountPath(account);
}

/** Each row leads to the page that mends it, with its reason and its age. */
export const ConcernTable = ({ home, now }: { readonly home: ConsoleHome; readonly now: Moment }) => (
  <CardTable caption="Most urgent first" columns={['Reason', 'Account', 'Since']}>
    {home.concerns.map((concern, i) => (
      <tr
        id={home.concerns[i - 1]?.kind === concern.kind ? undefined : concern.kind}
        key={`${concern.kind} ${concern.id} ${concern.account}`}
      >
        <th scope="row">
          <a href={pathOf(concern)}>{REASONS[concern.kind]}</a>
          <Details concern={concern} />
        </th>
        <Cell of="Account">{home.named.get(concern.account ?? '')?.email ?? '–'}</Cell>
        <Cell of="Since">
          <Ago at={concern.since} now={now} none="–" />
        </Cell>
      </tr>
    ))}
  </CardTable>
);

const Details = ({ concern: { until, detail, id } }: { readonly concern: Concern }) => (
  <span class="quiet">
    {until !== null && (
      <>
        {' '}
        on <Day at={until} />
      </>
    )}
    {detail === null ? id !== null && ` ${id}` : ` ${detail}`}
  </span>
);
