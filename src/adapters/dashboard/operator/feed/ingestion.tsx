import type { Ingestion, ReadIngestion } from '../../../../application/feed/read-ingestion.js';
import type { Moment } from '../../../../domain/moment.js';
import { answerPage } from '../../page/answer.js';
import { CardTable, Cell } from '../../page/card-table.js';
import { Layout } from '../../page/layout.js';
import { Ago, At } from '../../page/moment.js';
import type { PageRoute } from '../../page-router.js';
import type { Viewer } from '../../state.js';
import type { OperatorVisit, Visits } from '../../visit.js';
import { INGESTION_PATH } from '../addresses.js';

export type IngestionParts = {
  readonly visits: Visits<OperatorVisit>;
  readonly readIngestion: ReadIngestion;
};

/** Whether publishers send items, and what is wrong with those that are rejected. */
export const ingestionRoutes = ({ visits, readIngestion }: IngestionParts): readonly PageRoute[] => [
  {
    path: INGESTION_PATH,
    GET: visits.page(async (ctx, { viewer, now }) => {
      const ingestion = await readIngestion(now);
      answerPage(ctx, <IngestionPage {...{ viewer, now, ingestion }} />);
    }),
  },
];

type Props = { readonly viewer: Viewer; readonly now: Moment; readonly ingestion: Ingestion };

const IngestionPage = ({ viewer, now, ingestion }: Props) => (
  <Layout title="Ingestion" viewer={viewer} activePath={INGESTION_PATH} styles={['console.css']}>
    <Tiles now={now} ingestion={ingestion} />
    <h2>The last 60 minutes</h2>
    <p>
      Published items are those of all instances. Rejected and unchanged items are those that were sent to
      this instance since it started.
    </p>
    <Minutes ingestion={ingestion} />
    <h2>Last rejections</h2>
    {ingestion.rejections.length === 0 ? (
      <p>None on this instance since it started.</p>
    ) : (
      <Rejections ingestion={ingestion} />
    )}
  </Layout>
);

type Minute = Ingestion['minutes'][number];

const sum = (minutes: readonly Minute[], of: (minute: Minute) => number | null): number | null =>
  minutes.reduce<number | null>((all, minute) => {
    const count = of(minute);
    return all === null || count === null ? null : all + count;
  }, 0);

const text = (count: number | null): string => (count === null ? 'Unknown' : count.toLocaleString('en-US'));

const Tiles = ({ now, ingestion }: Omit<Props, 'viewer'>) => {
  const { newestItem, changesBehind, minutes } = ingestion;
  return (
    <dl class="tiles">
      <div>
        <dt>Newest item</dt>
        <dd>
          <Ago at={newestItem} now={now} none="None" />
        </dd>
      </div>
      <div>
        <dt>Published, last hour</dt>
        <dd>{text(sum(minutes, ({ published }) => published))}</dd>
      </div>
      <div>
        <dt>Rejected here, last hour</dt>
        <dd>{text(sum(minutes, ({ rejected }) => rejected))}</dd>
      </div>
      <div>
        <dt>Changes behind, this instance</dt>
        <dd>{text(changesBehind)}</dd>
      </div>
    </dl>
  );
};

const PUBLISHED = { label: 'Published', isNumber: true } as const;
const UNCHANGED = { label: 'Unchanged', isNumber: true } as const;
const REJECTED = { label: 'Rejected', isNumber: true } as const;

/** Minutes without an item are left out. */
const Minutes = ({ ingestion: { minutes } }: Pick<Props, 'ingestion'>) => {
  const used = minutes.filter(
    ({ published, unchanged, rejected }) => (published ?? 1) + unchanged + rejected > 0,
  );
  return used.length === 0 ? (
    <p>No item was sent.</p>
  ) : (
    <CardTable
      caption="Items per minute, last minute first; minutes without one are left out"
      columns={['Minute', PUBLISHED, UNCHANGED, REJECTED]}
    >
      {used.toReversed().map((minute) => (
        <tr key={minute.start}>
          <th scope="row">
            <At at={minute.start} />
          </th>
          <Cell of={PUBLISHED}>{text(minute.published)}</Cell>
          <Cell of={UNCHANGED}>{text(minute.unchanged)}</Cell>
          <Cell of={REJECTED}>{text(minute.rejected)}</Cell>
        </tr>
      ))}
    </CardTable>
  );
};

const Rejections = ({ ingestion: { rejections } }: Pick<Props, 'ingestion'>) => (
  <CardTable
    caption="Of this instance, newest first, at most 20"
    columns={['Time', 'Item', 'Field', 'Fault', 'Sent with']}
  >
    {rejections.map(({ at, id, field, message, more }, i) => (
      <tr key={`${at} ${i}`}>
        <th scope="row">
          <At at={at} />
        </th>
        <Cell of="Item">{id === null ? '–' : <code>{id}</code>}</Cell>
        <Cell of="Field">{field === '' ? '–' : <code>{field}</code>}</Cell>
        <Cell of="Fault">
          {message}
          {more > 0 && `, and ${more} more`}
        </Cell>
        <Cell of="Sent with">Publisher token</Cell>
      </tr>
    ))}
  </CardTable>
);
