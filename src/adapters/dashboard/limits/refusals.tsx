import type { FailureCount } from '../../../domain/limits/request-statistics.js';
import type { Moment } from '../../../domain/moment.js';
import { CardTable, Cell } from '../page/card-table.js';
import { Ago } from '../page/moment.js';
import { errorPath, filterHref, type LogAddress } from './request-log.js';

const COUNT = { label: 'Requests', isNumber: true } as const;

/** What customers do about a problem code, as plain text; null for codes that they do not get. */
export type RemedyOf = (code: string) => string | null;

/** Failed requests without a problem document. */
const WITHOUT_CODE = new Map([
  ['499', 'Your client disconnected before the answer. Wait longer, or ask for smaller pages.'],
]);

/** Why requests failed, by the code of the answer, from the request log. */
export const Refusals = ({
  failures,
  remedyOf,
  address,
  now,
}: {
  readonly failures: readonly FailureCount[];
  readonly remedyOf: RemedyOf;
  readonly address: LogAddress;
  readonly now: Moment;
}) =>
  failures.length === 0 ? null : (
    <section aria-labelledby="refusals">
      <h2 id="refusals">Why requests were refused</h2>
      <CardTable
        caption="Refused and failed requests in the request log, by code"
        columns={['Code', COUNT, 'Last', 'What to do']}
      >
        {failures.map(({ code, requests, lastAt }) => (
          <tr key={code}>
            <th scope="row" class="code-name">
              {remedyOf(code) === null ? code : <a href={errorPath(code)}>{code}</a>}
            </th>
            <Cell of={COUNT}>
              <a href={`${filterHref(address, { failedOnly: false, statusClass: null, code })}#request-log`}>
                {requests.toLocaleString('en-US')}
              </a>
            </Cell>
            <Cell of="Last">
              <Ago at={lastAt} now={now} none="" />
            </Cell>
            <Cell of="What to do">{remedyOf(code) ?? WITHOUT_CODE.get(code) ?? 'See the request log.'}</Cell>
          </tr>
        ))}
      </CardTable>
    </section>
  );
