import type { ItemVersion, ItemVersions } from '../../../../application/feed/read-item-versions.js';
import type { ListedItem } from '../../../../application/ports/feed/feed-store.js';
import type { NewsEvent } from '../../../../domain/feed/feed-item.js';
import type { ItemOrder } from '../../../../domain/feed/item-order.js';
import { ownValue } from '../../../../domain/own-value.js';
import { Badge } from '../../keys/key-state.js';
import { CardTable, Cell } from '../../page/card-table.js';
import { ExternalLink } from '../../page/external-link.js';
import { Layout } from '../../page/layout.js';
import { At, AtOr } from '../../page/moment.js';
import { Notice } from '../../page/notice.js';
import type { Viewer } from '../../state.js';
import type { DoneNotice } from '../accounts/action-text.js';
import { CONSOLE_PATH, correctionPath, purgePath, retractionPath } from '../addresses.js';

const DONE: Readonly<Record<string, DoneNotice>> = {
  retracted: { kind: 'good', text: 'The item is retracted.' },
  corrected: { kind: 'good', text: 'The correction is published.' },
  unchanged: { kind: 'warning', text: 'The feed has the item like this already. Nothing was changed.' },
};

/** The message for a code in the address; null for an unknown code. */
export const itemNotice = (value: string | null): DoneNotice | null => ownValue(DONE, value ?? '') ?? null;

type Props = {
  readonly viewer: Viewer;
  readonly id: string;
  /** Null if the item is not in the feed now. */
  readonly item: ListedItem | null;
  readonly event: NewsEvent | null;
  readonly history: ItemVersions;
  readonly orders: readonly ItemOrder[];
  readonly notice: DoneNotice | null;
};

export const ItemPage = (props: Props) => {
  const { viewer, id, history, orders, notice } = props;
  return (
    <Layout title={`Item ${id}`} viewer={viewer} activePath={CONSOLE_PATH} styles={['console.css']}>
      {notice !== null && (
        <Notice kind={notice.kind}>
          <p>{notice.text}</p>
        </Notice>
      )}
      <State {...props} />
      <h2>Versions</h2>
      {history.versions.length === 0 ? (
        <p>The history has no change of this item: it is older than the history.</p>
      ) : (
        <Versions versions={history.versions} />
      )}
      {history.isCut && (
        <p class="quiet">There are later changes. Read them with the call for the history.</p>
      )}
      <h2>Orders of operators</h2>
      {orders.length === 0 ? <p>None.</p> : <Orders orders={orders} />}
    </Layout>
  );
};

const State = ({ id, item, event }: Props) =>
  item === null || event === null ? (
    <p>
      <Badge kind="off">Not in the feed</Badge> It was retracted or purged.{' '}
      <a href={purgePath(id)}>Purge its versions</a>
    </p>
  ) : (
    <>
      <p>
        <Badge kind="good">In the feed</Badge> <strong>{event.headline}</strong>
      </p>
      <dl class="facts">
        <dt>Scored</dt>
        <dd>
          <At at={item.scoredAt} />
        </dd>
        <dt>Source</dt>
        <dd>
          {event.source_news_url === null ? (
            event.source_name
          ) : (
            <ExternalLink href={event.source_news_url}>{event.source_name}</ExternalLink>
          )}
        </dd>
        <dt>Sub-markets</dt>
        <dd>{item.subMarketIds.length}</dd>
      </dl>
      <p class="actions">
        <a href={correctionPath(id)}>Correct item</a>
        <a class="danger" href={retractionPath(id)}>
          Retract item
        </a>
        <a class="danger" href={purgePath(id)}>
          Purge item
        </a>
      </p>
    </>
  );

const KINDS: Readonly<Record<ItemVersion['kind'], string>> = {
  published: 'Published',
  replaced: 'Corrected',
  retracted: 'Retracted',
  purged: 'Purged',
};

const REVISION = { label: 'Revision', isNumber: true } as const;
const FIELDS_SHOWN = 5;

const Versions = ({ versions }: Pick<ItemVersions, 'versions'>) => (
  <CardTable
    caption="Newest first, at most 20"
    columns={['Change', REVISION, 'Known since', 'Scored', 'Changed fields']}
  >
    {versions.map((version) => (
      <tr key={`${version.kind} ${version.revision} ${version.knownAt}`}>
        <th scope="row">{KINDS[version.kind]}</th>
        <Cell of={REVISION}>{version.revision ?? '–'}</Cell>
        <Cell of="Known since">
          <At at={version.knownAt} />
        </Cell>
        <Cell of="Scored">
          <AtOr at={version.scoredAt} none="–" />
        </Cell>
        <Cell of="Changed fields">
          <ChangedFields changed={version.changed} />
        </Cell>
      </tr>
    ))}
  </CardTable>
);

const ChangedFields = ({ changed }: Pick<ItemVersion, 'changed'>) => {
  if (changed === null) return <>–</>;
  if (changed.length === 0) return <>None</>;
  const more = changed.length - FIELDS_SHOWN;
  return (
    <>
      {changed.slice(0, FIELDS_SHOWN).map((field, i) => (
        <>
          {i > 0 && ', '}
          <code key={field}>{field}</code>
        </>
      ))}
      {more > 0 && ` and ${more} more`}
    </>
  );
};

const ACTIONS: Readonly<Record<ItemOrder['action'], string>> = { retract: 'Retract', correct: 'Correct' };

const Orders = ({ orders }: Pick<Props, 'orders'>) => (
  <CardTable caption="Newest first, at most 20" columns={['Order', 'Time', 'By', 'Reason']}>
    {orders.map(({ action, actor, reason, at }) => (
      <tr key={`${at} ${action}`}>
        <th scope="row">{ACTIONS[action]}</th>
        <Cell of="Time">
          <At at={at} />
        </Cell>
        <Cell of="By">{actor}</Cell>
        <Cell of="Reason">{reason}</Cell>
      </tr>
    ))}
  </CardTable>
);
