import type { ReadFeed } from '../../../application/feed/read-feed.js';
import type { FeedItem } from '../../../domain/feed/feed-item.js';
import { NO_TERMS } from '../../../domain/feed/filters/item-terms.js';
import { answerPage } from '../page/answer.js';
import { currentViewer } from '../page/viewer.js';
import type { PageRoute } from '../page-router.js';
import { StylePage } from './style-page.js';

const PATH = '/dashboard/style';

/** The page of all components, which only the demo has: everyone may see it. */
export function styleRoutes({ readFeed }: { readonly readFeed: ReadFeed }): readonly PageRoute[] {
  const newest = async (): Promise<FeedItem | null> => {
    const { page, bytesOf } = await readFeed({
      ...{ limit: 1, cursor: null, since: null, newsId: null, marketId: null },
      terms: NO_TERMS,
    });
    const [item] = page.items;
    return item === undefined ? null : (JSON.parse(bytesOf(item).toString('utf8')) as FeedItem);
  };
  return [
    {
      path: PATH,
      GET: async (ctx) =>
        answerPage(ctx, <StylePage viewer={await currentViewer(ctx)} item={await newest()} demo={null} />),
    },
  ];
}
