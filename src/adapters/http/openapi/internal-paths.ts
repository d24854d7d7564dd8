import { PUBLISH_MODES } from '../../../domain/feed/assign-scored-at.js';
import { type JsonSchema, ref } from '../schema/json-schema.js';
import { accountPaths } from './account-paths.js';
import { SAMPLE_ID } from './examples/feed-examples.js';
import { badBody, byId, operator, refusals, unknown } from './internal-operations.js';
import { answers, problems, requestBody } from './operations.js';
import { demoPaths, paymentPaths } from './payment-paths.js';

const publisher = { security: [{ publisherToken: [] }] };

const publish: JsonSchema = {
  ...publisher,
  operationId: 'publishNews',
  summary: 'Publishes news items. Send one, an array (8 MB), or one per line (64 MB, 1 MB per line).',
  description:
    'With `mode=live` an item gets a time above the head of the feed; with `mode=backfill` it keeps its own. In live mode an item with a known id replaces the item; a backfill refuses it by its line (`not_backfill`). An item that is in the feed with the same body, but for `endpoint_published_at`, is `unchanged`, unless the publication names a later `scored_at`: a publication can be repeated.',
  parameters: [
    {
      name: 'mode',
      in: 'query',
      required: false,
      description: 'Whether items are new, or keep the times that they bring.',
      schema: { enum: PUBLISH_MODES, default: 'live' },
    },
    {
      name: 'dry_run',
      in: 'query',
      required: false,
      description:
        'With `true` nothing is stored: the answer is the one that the publication would get now, with `"dry_run":true`.',
      schema: { enum: ['false', 'true'], default: 'false' },
    },
  ],
  requestBody: {
    required: true,
    content: {
      'application/json': {
        schema: { oneOf: [ref('Publication'), { type: 'array', items: ref('Publication') }] },
      },
      'application/x-ndjson': { schema: ref('Publication') },
    },
  },
  responses: {
    ...answers(200, 'Valid items are stored, even if others are rejected.', 'PublishingReport'),
    ...answers(422, 'Items were rejected, and none was accepted or unchanged.', 'PublishingReport'),
    ...refusals({ ...badBody }),
  },
};

const probe = (
  texts: { readonly operationId: string; readonly summary: string; readonly description: string },
  answer: string,
): JsonSchema => ({
  ...texts,
  security: [],
  responses: { ...answers(200, 'The check passed.', answer), ...refusedProbe },
});

/** Requests for a name of another site get 400 (`internal-host.ts`). */
const refusedProbe = problems({ 400: 'The Host header names another service.' });

const paths: Readonly<Record<string, JsonSchema>> = {
  '/internal/v1/news': { post: publish },
  '/internal/v1/news/{id}': {
    get: {
      security: [{ publisherToken: [] }, { operatorToken: [] }],
      operationId: 'readItemState',
      summary: 'Tells whether an item is in the feed now, and shows it with its revision and times.',
      description:
        'For a publisher who wants to know what became of a publication, also after an answer was lost. It reads the store and no copy of it.',
      ...byId('the news event', SAMPLE_ID),
      responses: {
        ...answers(200, 'The item, or how it left the feed.', 'ItemState'),
        ...refusals({ 404: 'Neither the feed nor its history has this id.' }),
      },
    },
    delete: {
      security: [{ publisherToken: [] }, { operatorToken: [] }],
      operationId: 'retractNews',
      summary: 'Retracts an item from the feed; with `purge=true` erases every version of it.',
      description:
        'Readers get a retraction on the live stream; the item is on no page any more. A retraction needs the publisher token, and the history keeps the versions. A purge needs the operator token and a reason. It cannot be undone.',
      parameters: [
        ...byId('the news event', SAMPLE_ID).parameters,
        {
          name: 'purge',
          in: 'query',
          required: false,
          description: 'Whether every version is erased, also of an item that was retracted before.',
          schema: { const: true },
        },
      ],
      ...requestBody('Purge', false),
      responses: {
        204: { description: 'The item is no longer in the feed; after a purge, nor in the history.' },
        ...refusals({ ...badBody, ...unknown }),
      },
    },
  },
  ...accountPaths,
  ...paymentPaths,
  '/internal/v1/test-clock': {
    get: {
      ...operator,
      operationId: 'readTestClock',
      summary: 'Reads the time. Exists only with TEST_CLOCK=1.',
      description: 'Without TEST_CLOCK=1 the path does not exist.',
      responses: { ...answers(200, 'The time.', 'TestClock'), ...refusals({}) },
    },
    post: {
      ...operator,
      operationId: 'advanceTestClock',
      summary: 'Advances the time. All work that is then due is done before the response.',
      description: 'For tests. The clock never goes back.',
      ...requestBody('ClockAdvance', true),
      responses: { ...answers(200, 'The time.', 'TestClock'), ...refusals({ ...badBody }) },
    },
  },
  '/livez': {
    get: probe(
      {
        operationId: 'livez',
        summary: 'Checks that the process runs.',
        description: 'It is 200 also while the service starts or drains.',
      },
      'Liveness',
    ),
  },
  '/readyz': {
    get: {
      ...probe(
        {
          operationId: 'readyz',
          summary: 'Checks that this instance can take requests.',
          description: 'A load balancer sends requests only to instances that answer 200.',
        },
        'Readiness',
      ),
      responses: {
        ...answers(200, 'Ready.', 'Readiness'),
        ...answers(503, 'Not ready.', 'Readiness'),
        ...refusedProbe,
      },
    },
  },
  '/openapi.json': {
    get: {
      operationId: 'readInternalOpenApi',
      summary: 'Returns this document.',
      description: 'The document of the public listener has the calls of customers.',
      security: [],
      responses: {
        200: {
          description: 'OpenAPI 3.1.',
          content: { 'application/json': { example: { openapi: '3.1.0', info: { title: 'Oddswire' } } } },
        },
        304: { description: 'The document has not changed: `If-None-Match` has its `ETag`.' },
        ...refusedProbe,
      },
    },
  },
  '/metrics': {
    get: {
      operationId: 'metrics',
      summary: 'Returns metrics for Prometheus.',
      description: 'The text format of Prometheus, for the metrics of this instance, or of all its workers.',
      security: [],
      responses: {
        200: { description: 'The metrics.', content: { 'text/plain': { schema: { type: 'string' } } } },
        ...refusedProbe,
      },
    },
  },
};

/** The paths of the internal listener, for publishers, operators and monitoring (D30). */
export const internalPaths = (isDemo: boolean): Readonly<Record<string, JsonSchema>> =>
  isDemo ? { ...paths, ...demoPaths } : paths;
