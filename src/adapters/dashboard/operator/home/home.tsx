import type { ConsoleHome, ReadConsoleHome } from '../../../../application/accounts/read-console-home.js';
import type { ConsoleFindings, SearchConsole } from '../../../../application/accounts/search-console.js';
import type { PublicationNotes } from '../../../../application/feed/publication-notes.js';
import type { Plans } from '../../../../domain/billing/plan.js';
import { rejectedInLastHour } from '../../../../domain/feed/publication-record.js';
import { answerPage } from '../../page/answer.js';
import type { PageRoute } from '../../page-router.js';
import { goTo } from '../../state.js';
import type { FormPage, OperatorVisit, Page, Visits } from '../../visit.js';
import { accountPath, CONSOLE_PATH, eventPath, itemPath } from '../addresses.js';
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
};

/**
 * The first page of the console, and its search. The search text is sent in a form, never in an address, and not shown again: it
 * may be a whole key. Only the first characters of a key are used (D19, D42).
 */
export function homeRoutes({
  visits,
  readConsoleHome,
  searchConsole,
  plans,
  publicationNotes,
  openStreams,
}: HomeParts): readonly PageRoute[] {
  const home: Page<OperatorVisit> = async (ctx, { viewer, now }) => {
    const shown: ConsoleHome = await readConsoleHome(now);
    const rejected = rejectedInLastHour(publicationNotes.record, now);
    const instance = { openStreams: openStreams(), rejected };
    answerPage(ctx, <HomePage {...{ viewer, now, plans, instance }} home={shown} />);
  };

  const search: FormPage<OperatorVisit> = async (ctx, { viewer }, form) => {
    const found = await searchConsole(form.get('q') ?? '');
    const path = onlyPath(found);
    if (path !== null) return goTo(ctx, path);
    return answerPage(ctx, <FindingsPage {...{ viewer, found }} />, isEmpty(found) ? 404 : 200);
  };

  return [{ path: CONSOLE_PATH, GET: visits.page(home), POST: visits.form(search) }];
}

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
