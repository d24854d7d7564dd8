import type { PurgeNews } from '../../../../application/feed/purge-news.js';
import type { FeedPast } from '../../../../application/ports/feed/feed-past.js';
import { readReason } from '../../../../domain/accounts/reason.js';
import type { KeyFormat } from '../../../../domain/keys/key-value.js';
import { answerPage } from '../../page/answer.js';
import { refusalText } from '../../page/refusal-text.js';
import type { PageRoute } from '../../page-router.js';
import { type Context, goTo, parameter } from '../../state.js';
import type { FormPage, OperatorVisit, Visits } from '../../visit.js';
import { PURGES_PATH } from '../addresses.js';
import { type PurgeFault, PurgesPage } from './purges-page.js';

const LISTED_MAX = 40;

export type PurgeParts = {
  readonly visits: Visits<OperatorVisit>;
  readonly feedPast: Pick<FeedPast, 'purges'>;
  readonly purgeNews: PurgeNews;
  readonly keyFormat: KeyFormat;
};

/** The newest purges, and the form of the next one (D62). */
export function purgeRoutes({ visits, feedPast, purgeNews, keyFormat }: PurgeParts): readonly PageRoute[] {
  const show = async (ctx: Context, visit: OperatorVisit, fault: PurgeFault | null, status = 200) => {
    const purges = await feedPast.purges(LISTED_MAX);
    const isDone = fault === null && parameter(ctx, 'done') === 'purge';
    answerPage(
      ctx,
      <PurgesPage
        viewer={visit.viewer}
        {...{ purges, isDone, fault }}
        id={keyFormat.redact(parameter(ctx, 'id') ?? '')}
      />,
      status,
    );
  };

  const purge: FormPage<OperatorVisit> = async (ctx, visit, form) => {
    const id = (form.get('id') ?? '').trim();
    const typed = form.get('reason') ?? '';
    const refuse = (text: string, status: number) =>
      show(ctx, visit, { id, reason: keyFormat.redact(typed), text }, status);
    const reason = readReason(typed, keyFormat);
    if (typeof reason === 'object') return refuse(refusalText(reason), 400);
    if (form.get('sure') !== 'yes') return refuse('Confirm that every version is to be erased.', 400);
    const purged = await purgeNews(id, { actor: visit.name, reason });
    if (purged === 'unknown') return refuse('The history has no item with this id.', 404);
    return goTo(ctx, `${PURGES_PATH}?done=purge`);
  };

  return [
    {
      path: PURGES_PATH,
      GET: visits.page((ctx, visit) => show(ctx, visit, null)),
      POST: visits.form(purge),
    },
  ];
}
