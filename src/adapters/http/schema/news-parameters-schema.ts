import { LIMIT } from '../../../domain/feed/feed-query.js';
import { closed, id, type JsonSchema } from './json-schema.js';
import { readMoment } from './moment-schemas.js';

/** The query parameters of `GET /pm/v2/news` (contract section 4, D13), with `limit` as the number it writes. */
export const newsParameters: JsonSchema = closed(
  {},
  {
    limit: { type: 'integer', ...LIMIT, description: 'Items on a page.' },
    cursor: {
      ...readMoment,
      description: 'The next_cursor of the previous page: only items strictly older.',
    },
    since: { ...readMoment, description: 'Only items whose scored_at is greater than or equal.' },
    news_id: { ...id, description: 'Only the news event with this id.' },
    market_id: { ...id, description: 'Only items with this sub-market, narrowed to it.' },
  },
);
