import type { Limit } from '../../../domain/limits/rate-limit.js';
import { fromEpochMillis } from '../../../domain/moment.js';
import { CardTable, Cell } from '../page/card-table.js';
import { At } from '../page/moment.js';

const LIMIT = { label: 'Limit', isNumber: true } as const;
const USED = { label: 'Used', isNumber: true } as const;

export const LimitTable = ({ limits }: { readonly limits: readonly Limit[] }) => (
  <CardTable caption="Usage in the current window" columns={['Window', LIMIT, USED, 'Resets']}>
    {limits.map(({ policy, remaining, endsAt }) => (
      <tr key={policy.name}>
        <th scope="row">Per {policy.name}</th>
        <Cell of={LIMIT}>{policy.quota.toLocaleString('en-US')}</Cell>
        <Cell of={USED}>
          <meter
            min={0}
            max={policy.quota}
            value={policy.quota - remaining}
            aria-label={`Used per ${policy.name}`}
          />{' '}
          {(policy.quota - remaining).toLocaleString('en-US')}
        </Cell>
        <Cell of="Resets">
          <At at={fromEpochMillis(endsAt * 1_000)} />
        </Cell>
      </tr>
    ))}
  </CardTable>
);
