import { oneOf } from '../feed/feed-parameter.js';

/** The query parameters of `GET /pm/v2/usage/history` (D74). */
export const USAGE_HISTORY_PARAMETERS = {
  format: oneOf(
    ['json', 'csv'],
    'The format of the answer: `json` (default), or `csv` with a line of names first.',
  ),
} as const;
