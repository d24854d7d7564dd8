import type { ComponentChildren } from 'preact';
import {
  COUNTED_MAX,
  type ConsoleHome,
  type LargeConsumer,
  LISTED_MAX,
} from '../../../../application/accounts/read-console-home.js';
import type { Account } from '../../../../domain/accounts/account.js';
import { type FigureName, isAlarming } from '../../../../domain/accounts/console-figures.js';
import { type Plans, planTitle } from '../../../../domain/billing/plan.js';
import { FAILED_PER_KEY, REQUESTS_PER_KEY } from '../../../../domain/limits/request-log.js';
import type { Moment } from '../../../../domain/moment.js';
import { CardTable, Cell } from '../../page/card-table.js';
import { Layout } from '../../page/layout.js';
import { Ago } from '../../page/moment.js';
import { subscriptionText } from '../../page/state-text.js';
import type { Viewer } from '../../state.js';
import {
  accountPath,
  CONSOLE_PATH,
  DESTINATIONS_PATH,
  EVENTS_PATH,
  INGESTION_PATH,
  NEW_ACCOUNT_PATH,
} from '../addresses.js';
import { AccountDays } from './account-days.js';
import { ConcernTable } from './concern-table.js';
import { DependencyTable, type InstanceState } from './dependency-table.js';
import { SearchForm } from './search-form.js';

type HomeProps = {
  readonly viewer: Viewer;
  readonly home: ConsoleHome;
  readonly plans: Plans;
  readonly now: Moment;
  /** What only this instance knows of itself. */
  readonly instance: InstanceState & { readonly openStreams: number; readonly rejected: number };
};

/** What needs a hand now, and who uses the service. */
export const HomePage = ({ viewer, home, plans, now, instance }: HomeProps) => (
  <Layout title="Console" viewer={viewer} activePath={CONSOLE_PATH} styles={['console.css']}>
    <SearchForm viewer={viewer} />
    <Tiles {...{ home, now, instance }} />
    <div class="columns">
      <section aria-labelledby="attention">
        <h2 id="attention">Needs attention</h2>
        {home.concerns.length === 0 ? <p>Nothing.</p> : <ConcernTable {...{ home, now }} />}
      </section>
      <section aria-labelledby="largest">
        <h2 id="largest">Ten largest today</h2>
        <Largest {...{ home, plans }} />
      </section>
    </div>
    <section aria-labelledby="dependencies">
      <h2 id="dependencies">Dependencies</h2>
      <DependencyTable {...{ home, now, instance }} />
    </section>
    <h2>Recent accounts</h2>
    <p>
      <a class="button" href={NEW_ACCOUNT_PATH}>
        Open account
      </a>
    </p>
    {home.recent.length === 0 ? <p>None.</p> : <Recent {...{ plans, now }} accounts={home.recent} />}
    <section aria-labelledby="days">
      <h2 id="days">Accounts by day</h2>
      <AccountDays days={home.days} />
    </section>
  </Layout>
);

/** A count that was read up to a maximum. */
const upTo = (count: number, maximum: number): string =>
  count >= maximum ? `${maximum.toLocaleString('en-US')} or more` : count.toLocaleString('en-US');

const Tiles = ({
  home: { figures, concerns },
  now,
  instance,
}: Pick<HomeProps, 'home' | 'now' | 'instance'>) => {
  const unpaid = concerns.some(({ kind }) => kind === 'dunning_ended') ? '#dunning_ended' : null;
  // biome-ignore format: a table is read by its columns
  const tiles: readonly (readonly [name: FigureName, title: string, path: string | null, value: ComponentChildren])[] = [
    ['newestItem',          'Newest item',             INGESTION_PATH,    <Ago at={figures.newestItem} now={now} none="None" />],
    ['failedEvents',        'Failed payment events',   EVENTS_PATH,       upTo(figures.failedEvents, LISTED_MAX)],
    ['waitingEvents',       'Waiting payment events',  EVENTS_PATH,       upTo(figures.waitingEvents, LISTED_MAX)],
    ['blockedAccounts',     'Accounts that get 402',   unpaid,            upTo(figures.blockedAccounts, COUNTED_MAX)],
    ['failingDestinations', 'Failing destinations',    DESTINATIONS_PATH, upTo(figures.failingDestinations, LISTED_MAX)],
  ];
  return (
    <dl class="tiles">
      {tiles.map(([name, title, path, value]) => (
        <div key={name} class={isAlarming(figures, name, now) ? 'alarm' : undefined}>
          <dt>{path === null ? title : <a href={path}>{title}</a>}</dt>
          <dd>
            {value}
            {isAlarming(figures, name, now) && <span class="hidden"> (an alert fires)</span>}
          </dd>
        </div>
      ))}
      <div>
        <dt>Open streams, this instance</dt>
        <dd>{instance.openStreams.toLocaleString('en-US')}</dd>
      </div>
      <div>
        <dt>
          <a href={INGESTION_PATH}>Rejected items, last hour, this instance</a>
        </dt>
        <dd>{instance.rejected.toLocaleString('en-US')}</dd>
      </div>
    </dl>
  );
};

const REQUESTS = { label: 'Requests', isNumber: true } as const;
const REFUSED = { label: '4xx', isNumber: true } as const;
const LIMITED = { label: '429 in the log', isNumber: true } as const;
const SHARE = { label: 'Of the quota', isNumber: true } as const;

const Largest = ({ home: { largest }, plans }: Pick<HomeProps, 'home' | 'plans'>) => {
  if (largest === null) return <p>The requests of today could not be added up in time. Try again later.</p>;
  if (largest.length === 0) return <p>No requests today.</p>;
  return (
    <>
      <CardTable
        caption="By requests since 00:00 UTC, refused ones included"
        columns={['Account', 'Plan', REQUESTS, REFUSED, LIMITED, SHARE]}
      >
        {largest.map((consumer) => (
          <tr key={consumer.account.id}>
            <th scope="row">
              <a href={accountPath(consumer.account.id)}>{consumer.account.email}</a>
            </th>
            <Cell of="Plan">{planTitle(plans, consumer.account.subscription.plan)}</Cell>
            <Cell of={REQUESTS}>{consumer.requests.toLocaleString('en-US')}</Cell>
            <Cell of={REFUSED}>{consumer.refused.toLocaleString('en-US')}</Cell>
            <Cell of={LIMITED}>
              {consumer.limited === null ? (
                <span class="quiet">Unknown</span>
              ) : (
                consumer.limited.toLocaleString('en-US')
              )}
            </Cell>
            <Cell of={SHARE}>
              <Share consumer={consumer} />
            </Cell>
          </tr>
        ))}
      </CardTable>
      <p class="quiet">
        4xx are counted. 429, requests that a limit refused, are those in the request log, which keeps the
        last
        {` ${REQUESTS_PER_KEY} `} requests of each key, and of these at least the last {FAILED_PER_KEY} that
        failed: there can be more.
      </p>
    </>
  );
};

const Share = ({ consumer: { account, share } }: { readonly consumer: LargeConsumer }) =>
  share === null ? (
    <span class="quiet">Unknown</span>
  ) : (
    <>
      <meter min={0} max={1} value={share} aria-label={`Share of the daily quota of ${account.email}`} />{' '}
      {Math.round(share * 100)}%
    </>
  );

const Recent = ({
  accounts,
  plans,
  now,
}: Omit<HomeProps, 'viewer' | 'home' | 'instance'> & { readonly accounts: readonly Account[] }) => (
  <CardTable caption="Last opened first" columns={['Account', 'Plan', 'Status', 'Opened']}>
    {accounts.map(({ id, email, subscription, openedAt }) => (
      <tr key={id}>
        <th scope="row">
          <a href={accountPath(id)}>{email}</a>
        </th>
        <Cell of="Plan">{planTitle(plans, subscription.plan)}</Cell>
        <Cell of="Status">{subscriptionText(subscription)}</Cell>
        <Cell of="Opened">
          <Ago at={openedAt} now={now} none="" />
        </Cell>
      </tr>
    ))}
  </CardTable>
);
