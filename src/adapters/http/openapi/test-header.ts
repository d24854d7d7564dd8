import { TEST_HEADER, TEST_VALUES } from '../sandbox/asked-test.js';
import type { JsonSchema } from '../schema/json-schema.js';

/** The header of the calls that sandbox keys open (D77). */
export const testHeader: JsonSchema = {
  name: TEST_HEADER,
  in: 'header',
  required: false,
  description:
    'Only with a sandbox key, and ignored with any other: the code of the problem to answer with, `slow` for an answer after 5 seconds, or `cut` for a connection that is closed in the middle of the body.',
  schema: { type: 'string', enum: TEST_VALUES },
  example: 'rate_limited',
};
