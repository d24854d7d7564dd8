import type { ItemState, ReadItemState } from '../../../application/feed/read-item-state.js';
import { positionToken } from '../../../domain/feed/position.js';
import type { StoredItem } from '../../../domain/feed/stored-item.js';
import { isRefusal } from '../../../domain/refusal.js';
import { answerRefusal } from '../answer/problem.js';
import type { RouteHandler } from '../state.js';

/** GET /internal/v1/news/{id}: what became of an item, for publishers and operators (D141). */
export const getNews =
  (readItemState: ReadItemState): RouteHandler =>
  async (ctx) => {
    const state = await readItemState(ctx.params['id'] ?? '');
    if (isRefusal(state)) return answerRefusal(ctx, state);
    ctx.set('Cache-Control', 'no-store');
    ctx.body = itemStateJson(state);
  };

function itemStateJson(item: ItemState) {
  const { id, state, revision, position, knownAt, scoredAt } = item;
  const json = item.state === 'published' ? (JSON.parse(item.json.toString('utf8')) as StoredItem) : null;
  return {
    id,
    state,
    revision,
    position: position === null ? null : positionToken(position),
    known_at: knownAt,
    scored_at: scoredAt,
    endpoint_published_at: json?.news_event?.endpoint_published_at ?? null,
    item: json,
  };
}
