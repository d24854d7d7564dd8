import type { ConsoleFindings } from '../../../../application/accounts/search-console.js';
import type { MarketRow } from '../../../../domain/feed/markets/market-row.js';
import { ExternalLink } from '../../page/external-link.js';
import { Layout } from '../../page/layout.js';
import { At, Day } from '../../page/moment.js';
import { Notice } from '../../page/notice.js';
import type { Viewer } from '../../state.js';
import { accountPath, CONSOLE_PATH, eventPath, itemPath } from '../addresses.js';
import { SearchForm } from './search-form.js';

export const isEmpty = (found: ConsoleFindings): boolean =>
  Object.values(found).every((list) => list.length === 0);

/** What a search found, unless it is one account or event, whose page is opened at once. */
export const FindingsPage = ({
  viewer,
  found,
}: {
  readonly viewer: Viewer;
  readonly found: ConsoleFindings;
}) => (
  <Layout title="Search" viewer={viewer} activePath={CONSOLE_PATH} styles={['console.css']}>
    {isEmpty(found) && <NothingFound />}
    <SearchForm viewer={viewer} />
    {found.accounts.length > 0 && <Accounts {...found} />}
    {found.events.length > 0 && (
      <>
        <h2>Payment events</h2>
        <ul>
          {found.events.map(({ id, type }) => (
            <li key={id}>
              <a href={eventPath(id)}>{id}</a>, {type}
            </li>
          ))}
        </ul>
      </>
    )}
    {found.destinations.length > 0 && (
      <>
        <h2>Destinations</h2>
        <ul>
          {found.destinations.map(({ id, label, account }) => (
            <li key={id}>
              {label} <code>{id}</code> of the account <a href={accountPath(account)}>{account}</a>
            </li>
          ))}
        </ul>
      </>
    )}
    {found.items.length > 0 && (
      <>
        <h2>Items</h2>
        <ul>
          {found.items.map((id) => (
            <li key={id}>
              <a href={itemPath(id)}>{id}</a>
            </li>
          ))}
        </ul>
      </>
    )}
    {found.markets.length > 0 && <Markets markets={found.markets} />}
  </Layout>
);

const NothingFound = () => (
  <Notice kind="bad">
    <p>Nothing has this ID, email address, or beginning of a key.</p>
    <p>
      The ID of a request (<code>X-Request-Id</code>) is not stored: find its line in the log of the service.
      The line has the ID of the key, which you can search for here.
    </p>
  </Notice>
);

const Accounts = ({ accounts }: Pick<ConsoleFindings, 'accounts'>) => (
  <section aria-labelledby="hits">
    <h2 id="hits">{accounts.length === 1 ? '1 account' : `${accounts.length} accounts`}</h2>
    <ul>
      {accounts.map(({ id, email, openedAt }) => (
        <li key={id}>
          <a href={accountPath(id)}>{email}</a>, opened on <Day at={openedAt} />
        </li>
      ))}
    </ul>
  </section>
);

const Markets = ({ markets }: { readonly markets: readonly MarketRow[] }) => (
  <>
    <h2>Markets</h2>
    <ul>
      {markets.map(({ facts, lastNewsAt }) => (
        <li key={`${facts.kind} ${facts.marketId}`}>
          <ExternalLink href={facts.url}>{facts.title}</ExternalLink> <code>{facts.marketId}</code>, newest
          item <At at={lastNewsAt} />
        </li>
      ))}
    </ul>
  </>
);
