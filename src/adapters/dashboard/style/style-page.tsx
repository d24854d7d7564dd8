import type { ComponentChildren } from 'preact';
import type { FeedItem } from '../../../domain/feed/feed-item.js';
import type { PricePoint } from '../../../domain/feed/markets/price-line.js';
import type { Moment } from '../../../domain/moment.js';
import { FeedCard } from '../feed/feed-card.js';
import { Badge } from '../keys/key-state.js';
import { Sparkline } from '../limits/sparkline.js';
import { UsageChart } from '../limits/usage-chart.js';
import { PriceChart } from '../markets/price-chart.js';
import { CardTable, Cell } from '../page/card-table.js';
import { Layout } from '../page/layout.js';
import { OnAt } from '../page/moment.js';
import { Notice } from '../page/notice.js';
import { QuotaBar } from '../page/quota-bar.js';
import type { Viewer } from '../state.js';
import { Badges, Buttons, Fields, Texts } from './controls.js';
import { HOURS, NOW, POINTS, SPAN } from './sample-values.js';
import { Section } from './section.js';

type Props = {
  readonly viewer: Viewer | null;
  /** The newest item of the feed; null if there is none. */
  readonly item: FeedItem | null;
  readonly demo: ComponentChildren;
};

/** Every component of the pages in every state, for people who change them. Only the demo has this page. */
export const StylePage = ({ viewer, item, demo }: Props) => (
  <Layout
    title="Components"
    viewer={viewer}
    styles={['console.css', 'uplot.css']}
    scripts={['uplot.js']}
    modules={['chart.js', 'copy.js', 'countdown.js']}
    demo={demo}
  >
    <p class="quiet">
      Every component in every state, in the colors of your system. Forms on this page send nothing.
    </p>
    <Texts />
    <Buttons />
    <Fields />
    <Badges />
    <Banners />
    <Tiles />
    <Tables />
    <Charts points={POINTS} now={NOW} />
    <Menus />
    {item !== null && <Cards item={item} now={NOW} />}
  </Layout>
);

const Banners = () => (
  <Section title="Banners">
    {(['good', 'warning', 'bad'] as const).map((kind) => (
      <Notice key={kind} kind={kind}>
        <p>
          <strong>A banner that is {kind}.</strong> It says what happened. <a href="#content">What to do</a>
        </p>
      </Notice>
    ))}
    <div class="copyable">
      <code id="sample-command">curl -H 'X-API-Key: svc_…' 'http://localhost:8080/pm/v2/news?limit=1'</code>
      <button type="button" class="plain" data-copies="sample-command" hidden>
        Copy
      </button>
    </div>
  </Section>
);

const Tiles = () => (
  <Section title="Tiles and bars">
    <dl class="tiles">
      <div>
        <dt>As usual</dt>
        <dd>1,204</dd>
      </div>
      <div class="alarm">
        <dt>Beyond its alert</dt>
        <dd>17</dd>
      </div>
      <div>
        <dt>Unknown</dt>
        <dd>–</dd>
      </div>
    </dl>
    {[0, 30, 100].map((used) => (
      <p key={used}>
        {used} of 100 <QuotaBar used={used} quota={100} />
      </p>
    ))}
  </Section>
);

const REQUESTS = { label: 'Requests', isNumber: true } as const;

const Tables = () => (
  <Section title="Tables and empty states">
    <CardTable caption="A card a row on a phone" columns={['Key', 'State', REQUESTS]}>
      <tr>
        <th scope="row">
          Production <code>svc_Ab3d…</code>
        </th>
        <Cell of="State">
          <Badge kind="good">active</Badge>
        </Cell>
        <Cell of={REQUESTS}>1,204</Cell>
      </tr>
      <tr>
        <th scope="row">{'A label that is as long as labels may be, '.repeat(2)}</th>
        <Cell of="State">
          <Badge kind="off">revoked</Badge> <OnAt at={NOW} />: by its owner.
        </Cell>
        <Cell of={REQUESTS}>0</Cell>
      </tr>
    </CardTable>
    <CardTable caption="Without rows" columns={['Key', 'State', REQUESTS]}>
      {null}
    </CardTable>
    <p>No requests yet.</p>
    <ol class="steps">
      <li>Done</li>
      <li aria-current="step">To be done now</li>
      <li>Later</li>
    </ol>
  </Section>
);

const Charts = ({ points, now }: { readonly points: readonly PricePoint[]; readonly now: Moment }) => (
  <Section title="Charts">
    <PriceChart points={points} />
    <Sparkline buckets={HOURS} period={`in 24 hours before ${now}`} />
    <UsageChart range="24h" span={SPAN} buckets={HOURS} quota={null} />
  </Section>
);

const Menus = () => (
  <Section title="Menus and details">
    <nav aria-label="Sample" class="tabs">
      <ul>
        <li>
          <a href="#content" aria-current="page">
            Current
          </a>
        </li>
        <li>
          <a href="#content">Another</a>
        </li>
      </ul>
    </nav>
    <details class="menu">
      <summary>Actions</summary>
      <ul>
        <li>
          <a href="#content">The first action</a>
        </li>
        <li>
          <a href="#content">The second action</a>
        </li>
      </ul>
    </details>
    <details>
      <summary>Closed details</summary>
      <p>Their content.</p>
    </details>
    <details open>
      <summary>Open details</summary>
      <p>Their content.</p>
    </details>
  </Section>
);

const Cards = ({ item, now }: { readonly item: FeedItem; readonly now: Moment }) => (
  <Section title="Cards">
    <FeedCard item={item} now={now} />
  </Section>
);
