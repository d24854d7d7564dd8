import type { ComponentChildren } from 'preact';
import type { Account } from '../../../../domain/accounts/account.js';
import { Layout } from '../../page/layout.js';
import { Notice } from '../../page/notice.js';
import type { Viewer } from '../../state.js';
import { ACCOUNT_TABS, type AccountTab, CONSOLE_PATH, tabPath } from '../addresses.js';
import type { DoneNotice } from './action-text.js';

const NAMES: Readonly<Record<AccountTab, string>> = {
  overview: 'Overview',
  keys: 'Keys',
  usage: 'Usage',
  requests: 'Requests',
  payments: 'Payments',
  destinations: 'Destinations',
  audit: 'Audit',
};

/** The frame of the pages of one account: each tab is a page, so that it has an address and needs no script. */
export const AccountFrame = ({
  viewer,
  account,
  tab,
  notice,
  children,
}: {
  readonly viewer: Viewer;
  readonly account: Account;
  readonly tab: AccountTab;
  readonly notice: DoneNotice | null;
  readonly children: ComponentChildren;
}) => (
  <Layout
    title={tab === 'overview' ? account.email : `${account.email}: ${NAMES[tab]}`}
    viewer={viewer}
    activePath={CONSOLE_PATH}
    styles={['console.css']}
    modules={tab === 'requests' ? ['request-log.js'] : []}
  >
    {notice !== null && (
      <Notice kind={notice.kind}>
        <p>{notice.text}</p>
      </Notice>
    )}
    <nav aria-label="Account" class="tabs">
      <ul>
        {ACCOUNT_TABS.map((one) => (
          <li key={one}>
            <a href={tabPath(account.id, one)} aria-current={one === tab ? 'page' : undefined}>
              {NAMES[one]}
            </a>
          </li>
        ))}
      </ul>
    </nav>
    {children}
  </Layout>
);
