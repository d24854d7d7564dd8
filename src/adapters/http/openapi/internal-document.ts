import type { JsonSchema } from '../schema/json-schema.js';
import { type DocumentSettings, openApi } from './document.js';
import { internalPaths } from './internal-paths.js';
import { webhookPath } from './webhook-path.js';

/** The tag of each path: that of the first row whose text begins the path. */
// biome-ignore format: a table is read by its columns
const TAGS: readonly (readonly [path: string, tag: string])[] = [
  ['/internal/v1/news',           'News'],
  ['/internal/v1/keys/',          'Keys'],
  ['/internal/v1/payment-events', 'Payments'],
  ['/internal/v1/demo/payments',  'Payments'],
  ['/webhooks/',                  'Payments'],
  ['/internal/v1/test-clock',     'Test clock'],
  ['/internal/v1/accounts',       'Accounts'],
  ['/',                           'Monitoring'],
];

const tagOf = (path: string): string => TAGS.find(([start]) => path.startsWith(start))?.[1] ?? '';

const securitySchemes: JsonSchema = {
  operatorToken: { type: 'http', scheme: 'bearer', description: 'OPERATOR_TOKEN' },
  publisherToken: { type: 'http', scheme: 'bearer', description: 'PUBLISHER_TOKEN' },
};

/** `/openapi.json` of the internal listener: what publishers, operators, monitoring and the payment processor call. */
export const internalDocument = (settings: DocumentSettings): JsonSchema => {
  const { internalUrl, publicUrl, isDemo } = settings;
  return openApi(settings, {
    info: {
      title: 'Oddswire, internal interface',
      summary: 'Publishing, accounts, payments and monitoring.',
      description:
        'The calls of publishers, operators and monitoring. The listener that serves them is not for the internet. ' +
        'The webhook of the payment processor is on the public listener.',
    },
    servers: [{ url: internalUrl, description: 'The internal listener' }],
    tags: [
      { name: 'News', description: 'Publishing items and retracting them.' },
      { name: 'Accounts', description: 'Accounts with their subscription.' },
      { name: 'Keys', description: 'Rotating, revoking and holding keys.' },
      { name: 'Payments', description: 'Events of the payment processor.' },
      { name: 'Test clock', description: 'The time of the service, with TEST_CLOCK=1.' },
      { name: 'Monitoring', description: 'Health, metrics and this document.' },
    ],
    paths: tagged({ ...internalPaths(isDemo), ...webhookPath(publicUrl) }),
    securitySchemes,
    chapterOf: () => 'errors',
    reader: 'operator',
  });
};

const tagged = (paths: Readonly<Record<string, JsonSchema>>): JsonSchema =>
  Object.fromEntries(
    Object.entries(paths).map(([path, item]) => [
      path,
      Object.fromEntries(
        Object.entries(item).map(([method, operation]) => [
          method,
          method === 'servers' ? operation : { tags: [tagOf(path)], ...(operation as JsonSchema) },
        ]),
      ),
    ]),
  );
