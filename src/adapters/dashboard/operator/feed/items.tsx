import type { ChangeItem } from '../../../../application/feed/change-item.js';
import type { ReadItemVersions } from '../../../../application/feed/read-item-versions.js';
import type { ListedItem } from '../../../../application/ports/feed/feed-store.js';
import type { ItemOrders } from '../../../../application/ports/feed/item-orders.js';
import type { FeedItem } from '../../../../domain/feed/feed-item.js';
import type { KeyFormat } from '../../../../domain/keys/key-value.js';
import { isRefusal } from '../../../../domain/refusal.js';
import { answerPage } from '../../page/answer.js';
import { answerError } from '../../page/error-page.js';
import { refusalText } from '../../page/refusal-text.js';
import type { PageRoute } from '../../page-router.js';
import { type Context, goTo, parameter } from '../../state.js';
import type { FormPage, OperatorVisit, Page, Visits } from '../../visit.js';
import { itemPath } from '../addresses.js';
import { submittedReason } from '../submitted-reason.js';
import { ItemPage, itemNotice } from './item-page.js';
import { RetractionPage, type RetractionProps } from './retraction-page.js';

const ORDERS_MAX = 20;

export type ItemParts = {
  readonly visits: Visits<OperatorVisit>;
  readonly changeItem: ChangeItem;
  readonly readItemVersions: ReadItemVersions;
  readonly itemOrders: Pick<ItemOrders, 'of'>;
  readonly keyFormat: KeyFormat;
};

/** An item with its versions and orders, and its retraction with a reason (D127). */
export function itemRoutes(parts: ItemParts): readonly PageRoute[] {
  const { visits, changeItem, readItemVersions, itemOrders, keyFormat } = parts;

  const show: Page<OperatorVisit> = async (ctx, { viewer }) => {
    const id = idOf(ctx);
    const [item, history, orders] = await Promise.all([
      changeItem.find(id),
      readItemVersions(id),
      itemOrders.of(id, ORDERS_MAX),
    ]);
    if (item === null && history.versions.length === 0) return answerError(ctx, 'not found');
    const notice = itemNotice(parameter(ctx, 'done'));
    const event = item === null ? null : bodyOf(item).news_event;
    return answerPage(ctx, <ItemPage {...{ viewer, id, item, event, history, orders, notice }} />);
  };

  const ask = async (ctx: Context, { viewer }: OperatorVisit, shown: Shown = NOTHING, status = 200) => {
    const item = await changeItem.find(idOf(ctx));
    if (item === null) return answerError(ctx, 'not found', 'The feed has no item with this id.');
    const { headline } = bodyOf(item).news_event;
    return answerPage(ctx, <RetractionPage {...{ viewer, id: item.id, headline }} {...shown} />, status);
  };

  const retract: FormPage<OperatorVisit> = async (ctx, visit, form) => {
    const submitted = submittedReason(form, keyFormat);
    if ('fault' in submitted) return ask(ctx, visit, { ...NOTHING, reasonFault: submitted.fault }, 400);
    const { reason, typed } = submitted;
    const refused = (fault: string, status: number) =>
      ask(ctx, visit, { fault, typed, reasonFault: null }, status);
    if (form.get('sure') !== 'yes') return refused('Confirm that the item is to be retracted.', 400);
    const answer = await changeItem.retract(idOf(ctx), { actor: visit.name, reason });
    if (isRefusal(answer)) return refused(refusalText(answer), 409);
    return goTo(ctx, `${itemPath(idOf(ctx))}?done=retracted`);
  };

  return [
    { path: '/operator/items/:id', GET: visits.page(show) },
    {
      path: '/operator/items/:id/retraction',
      GET: visits.page((ctx, visit) => ask(ctx, visit)),
      POST: visits.form(retract),
    },
  ];
}

type Shown = Pick<RetractionProps, 'fault' | 'typed' | 'reasonFault'>;

const NOTHING: Shown = { fault: null, typed: '', reasonFault: null };

const idOf = (ctx: Context): string => ctx.params['id'] ?? '';

const bodyOf = ({ json }: ListedItem): FeedItem => JSON.parse(json.toString('utf8')) as FeedItem;
