import type { NoticeNotes } from '../../../../application/accounts/notice-notes.js';
import type { ConsoleHome, ReadConsoleHome } from '../../../../application/accounts/read-console-home.js';
import type { ConsoleFindings, SearchConsole } from '../../../../application/accounts/search-console.js';
import type { PublicationNotes } from '../../../../application/feed/publication-notes.js';
import type { Plans } from '../../../../domain/billing/plan.js';
import { rejectedInLastHour } from '../../../../domain/feed/publication-record.js';
import type { Moment } from '../../../../domain/moment.js';
import { answerPage } from '../../page/answer.js';
import type { PageRoute } from '../../page-router.js';
import { goTo } from '../../state.js';
import type { FormPage, OperatorVisit, Page, Visits } from '../../visit.js';
import { accountPath, CONSOLE_PATH, eventPath, itemPath } from '../addresses.js';
import type { InstanceState } from './dependency-table.js';
import { FindingsPage, isEmpty } from './findings-page.js';
import { HomePage } from './home-page.js';

export type HomeParts = {
  readonly visits: Visits<OperatorVisit>;
  readonly readConsoleHome: ReadConsoleHome;
  readonly searchConsole: SearchConsole;
  readonly plans: Plans;
  readonly publicationNotes: Pick<PublicationNotes, 'record'>;
  /** The streams that are open on this instance. */
  readonly openStreams: () => number;
  /** As in the response of `/readyz`. */
  readonly dependencyStates: () => InstanceState['servers'];
  readonly noticeNotes: Pick<NoticeNotes, 'last'>;
  readonly hasWebhooks: boolean;
  readonly hasMailServer: boolean;
};

/**
 * The first page of the console, and its search. The search text is sent in a form, never in an address, and not shown again: it
 * may be a whole key. Only the first characters of a key are used (D19, D42).
 */
export function homeRoutes(parts: HomeParts): readonly PageRoute[] {
  const { visits, readConsoleHome, searchConsole, plans } = parts;

  const home: Page<OperatorVisit> = async (ctx, { viewer, now }) => {
    const shown: ConsoleHome = await readConsoleHome(now);
    answerPage(ctx, <HomePage {...{ viewer, now, plans }} instance={instanceAt(parts, now)} home={shown} />);
  };

  const search: FormPage<OperatorVisit> = async (ctx, { viewer }, form) => {
    const found = await searchConsole(form.get('q') ?? '');
    const path = onlyPath(found);
    if (path !== null) return goTo(ctx, path);
    return answerPage(ctx, <FindingsPage {...{ viewer, found }} />, isEmpty(found) ? 404 : 200);
  };

  return [{ path: CONSOLE_PATH, GET: visits.page(home), POST: visits.form(search) }];
}

const instanceAt = (parts: HomeParts, now: Moment) => ({
  openStreams: parts.openStreams(),
  rejected: rejectedInLastHour(parts.publicationNotes.record, now),
  servers: parts.dependencyStates(),
  hasWebhooks: parts.hasWebhooks,
  hasMailServer: parts.hasMailServer,
  lastNotice: parts.noticeNotes.last,
});

/** The page of the only finding; null if there are several, or if it has no page. */
function onlyPath({ accounts, events, destinations, items, markets }: ConsoleFindings): string | null {
  const paths = [
    ...accounts.map(({ id }) => accountPath(id)),
    ...events.map(({ id }) => eventPath(id)),
    ...destinations.map(({ account }) => accountPath(account)),
    ...items.map(itemPath),
  ];
  const [only, ...others] = paths;
  const hasMore = others.length > 0 || markets.length > 0;
  return only === undefined || hasMore ? null : only;
}
