import { LIMIT } from '../../../domain/feed/feed-query.js';
import { filterProperties } from './filter-schemas.js';
import { closed, id, type JsonSchema } from './json-schema.js';
import { readMoment } from './moment-schemas.js';

/** The query parameters of `GET /pm/v2/news` (contract section 4, D13). `limit` is validated as a number. */
export const newsParameters: JsonSchema = closed(
  {},
  {
    limit: { type: 'integer', ...LIMIT, description: 'Items per page.' },
    cursor: {
      ...readMoment,
      description: 'The next_cursor of the previous page. Returns only older items.',
    },
    since: { ...readMoment, description: 'Returns only items whose scored_at is this time or later.' },
    news_id: { ...id, description: 'Returns only the news event with this id.' },
    market_id: {
      ...id,
      description: 'Returns only items with this sub-market, without their other sub-markets.',
    },
    ...filterProperties,
  },
);
