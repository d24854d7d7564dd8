import { PUBLISH_MODES } from '../../../domain/feed/assign-scored-at.js';
import { type JsonSchema, ref } from '../schema/json-schema.js';
import { actionOperation, badBody, byId, operator, refusals, unknown } from './internal-operations.js';
import { answers, requestBody } from './operations.js';
import { demoPaths, paymentPaths } from './payment-paths.js';

const publisher = { security: [{ publisherToken: [] }] };

const creates = (operationId: string, summary: string): JsonSchema => ({
  ...operator,
  operationId,
  summary,
  ...requestBody('NewKey', false),
  responses: {
    ...answers(201, 'The key. Its full value is returned only once.', 'IssuedKey'),
    ...refusals({
      ...badBody,
      ...unknown,
      402: 'The key or its subscription is suspended.',
      409: 'The key limit is reached, the key is part of a rotation, or it is revoked.',
    }),
  },
});

const publish: JsonSchema = {
  ...publisher,
  operationId: 'publishNews',
  summary: 'Publishes news items. Send one, an array (8 MB), or one per line (64 MB, 1 MB per line).',
  parameters: [
    { name: 'mode', in: 'query', required: false, schema: { enum: PUBLISH_MODES, default: 'live' } },
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
    ...refusals({ ...badBody }),
  },
};

const probe = (operationId: string, summary: string, answer: string): JsonSchema => ({
  operationId,
  summary,
  security: [],
  responses: answers(200, 'The check passed.', answer),
});

const paths: Readonly<Record<string, JsonSchema>> = {
  '/internal/v1/news': { post: publish },
  '/internal/v1/news/{id}': {
    delete: {
      ...publisher,
      ...byId,
      operationId: 'retractNews',
      summary: 'Retracts an item from the feed.',
      responses: { 204: { description: 'The item is no longer in the feed.' }, ...refusals({ ...unknown }) },
    },
  },
  '/internal/v1/accounts': {
    get: {
      ...operator,
      operationId: 'findAccount',
      summary: 'Finds an account by its email address.',
      parameters: [{ name: 'email', in: 'query', required: true, schema: { type: 'string' } }],
      responses: {
        ...answers(200, 'The account.', 'Account'),
        ...refusals({ ...unknown, 400: 'The email address is missing.' }),
      },
    },
    post: {
      ...operator,
      operationId: 'openAccount',
      summary: 'Opens an account with an active subscription.',
      ...requestBody('NewAccount', true),
      responses: {
        ...answers(201, 'The account.', 'Account'),
        ...refusals({ ...badBody, 409: 'Another account has this email address or customer.' }),
      },
    },
  },
  '/internal/v1/accounts/{id}': {
    get: {
      ...operator,
      ...byId,
      operationId: 'readAccount',
      summary: 'Reads an account with its subscription, keys and audit log.',
      responses: { ...answers(200, 'The account.', 'Account'), ...refusals({ ...unknown }) },
    },
    delete: {
      ...operator,
      ...byId,
      operationId: 'deleteAccount',
      summary:
        'Deletes an account with its personal data. Its keys are revoked at once. This cannot be undone.',
      responses: {
        204: { description: 'The account is deleted, now or before.' },
        ...refusals({
          ...unknown,
          409: 'The account has a subscription that has not ended. It can be in a payment event that was not applied.',
        }),
      },
    },
  },
  '/internal/v1/accounts/{id}/keys': { post: { ...byId, ...creates('issueKey', 'Creates a key.') } },
  '/internal/v1/accounts/{id}/hold': {
    post: {
      ...byId,
      ...actionOperation(
        'holdAccount',
        'Holds a subscription. Requests with its keys return 402.',
        'HoldRequest',
        'Account',
      ),
    },
  },
  '/internal/v1/accounts/{id}/release': {
    post: {
      ...byId,
      ...actionOperation('releaseAccount', 'Releases a hold or an abuse suspension.', 'Release', 'Account'),
    },
  },
  '/internal/v1/keys/{id}': {
    get: {
      ...operator,
      ...byId,
      operationId: 'readKey',
      summary: 'Reads a key with its audit log.',
      responses: { ...answers(200, 'The key.', 'KeyWithAudit'), ...refusals({ ...unknown }) },
    },
  },
  '/internal/v1/keys/{id}/rotate': {
    post: { ...byId, ...creates('rotateKey', 'Creates a new key that replaces this one. Both keys work.') },
  },
  '/internal/v1/keys/{id}/revoke': {
    post: {
      ...byId,
      ...actionOperation(
        'revokeKey',
        'Revokes a key. With the cause `rotation`, it works for 5 more minutes.',
        'Revocation',
        'KeyWithAudit',
      ),
    },
  },
  '/internal/v1/keys/{id}/hold': {
    post: {
      ...byId,
      ...actionOperation(
        'holdKey',
        'Holds one key. Requests with it return 402.',
        'HoldRequest',
        'KeyWithAudit',
      ),
    },
  },
  '/internal/v1/keys/{id}/release': {
    post: {
      ...byId,
      ...actionOperation('releaseKey', 'Releases the hold on one key.', 'Release', 'KeyWithAudit'),
    },
  },
  ...paymentPaths,
  '/internal/v1/test-clock': {
    get: {
      ...operator,
      operationId: 'readTestClock',
      summary: 'Reads the time. Exists only with TEST_CLOCK=1.',
      responses: { ...answers(200, 'The time.', 'TestClock'), ...refusals({}) },
    },
    post: {
      ...operator,
      operationId: 'advanceTestClock',
      summary: 'Advances the time. All work that is then due is done before the response.',
      ...requestBody('ClockAdvance', true),
      responses: { ...answers(200, 'The time.', 'TestClock'), ...refusals({ ...badBody }) },
    },
  },
  '/livez': { get: probe('livez', 'Checks that the process runs.', 'Liveness') },
  '/readyz': {
    get: {
      ...probe('readyz', 'Checks that this instance can take requests.', 'Readiness'),
      responses: { ...answers(200, 'Ready.', 'Readiness'), ...answers(503, 'Not ready.', 'Readiness') },
    },
  },
  '/metrics': {
    get: {
      operationId: 'metrics',
      summary: 'Returns metrics for Prometheus.',
      security: [],
      responses: {
        200: { description: 'The metrics.', content: { 'text/plain': { schema: { type: 'string' } } } },
      },
    },
  },
};

/** The paths of the internal listener, for publishers, operators and monitoring (D30). */
export const internalPaths = (url: string, isDemo: boolean): JsonSchema =>
  Object.fromEntries(
    Object.entries(isDemo ? { ...paths, ...demoPaths } : paths).map(([path, item]) => [
      path,
      { servers: [{ url }], ...item },
    ]),
  );
