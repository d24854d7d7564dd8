import { firstRequestOf } from '../../../domain/keys/first-request.js';
import { startOfDay } from '../../../domain/moment.js';
import { answerPage } from '../page/answer.js';
import type { PageRoute } from '../page-router.js';
import { FirstRequestPage, firstRequestText } from './first-request-page.js';
import { KEYS_PATH, type KeyHandler, type KeyParts, pageWithKey } from './key-page.js';

/** Whether a new key was used: as a page, and as JSON for the page that shows the new key. */
export function firstRequestRoutes(parts: KeyParts): readonly PageRoute[] {
  const { visits, usage, keyUses, demo } = parts;
  const show: KeyHandler = async (ctx, visit, key) => {
    const [counts, uses] = await Promise.all([
      usage.of([key.id], startOfDay(key.issuedAt)),
      keyUses.of([key.id]),
    ]);
    const first = firstRequestOf(counts, key.id, uses.get(key.id)?.lastAt ?? null);
    if (ctx.get('Accept') === 'application/json') {
      ctx.set('Cache-Control', 'no-store');
      ctx.body = { state: first.state, text: firstRequestText(first) };
      return;
    }
    const props = { viewer: visit.viewer, apiKey: key, first, demo: demo(KEYS_PATH, visit) };
    answerPage(ctx, <FirstRequestPage {...props} />);
  };
  return [{ path: `${KEYS_PATH}/:id/first-request`, GET: visits.page(pageWithKey(show)) }];
}
