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
    ...answers(201, 'The key, with its full value: here and never again.', 'IssuedKey'),
    ...refusals({
      ...badBody,
      ...unknown,
      402: 'The subscription, or the key, is on hold.',
      409: 'The allowance is used up, a rotation is open, or the key is revoked.',
    }),
  },
});

const publish: JsonSchema = {
  ...publisher,
  operationId: 'publishNews',
  summary: 'Publishes news items: one, an array (8 MB), or a line each (64 MB, 1 MB a line).',
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
    ...answers(200, 'Good lines are stored whatever the bad ones do.', 'PublishingReport'),
    ...refusals({ ...badBody }),
  },
};

const watched = (operationId: string, summary: string, answer: string): JsonSchema => ({
  operationId,
  summary,
  security: [],
  responses: answers(200, 'Yes.', answer),
});

const paths: Readonly<Record<string, JsonSchema>> = {
  '/internal/v1/news': { post: publish },
  '/internal/v1/news/{id}': {
    delete: {
      ...publisher,
      ...byId,
      operationId: 'retractNews',
      summary: 'Takes an item out of the feed.',
      responses: { 204: { description: 'It is gone.' }, ...refusals({ ...unknown }) },
    },
  },
  '/internal/v1/accounts': {
    get: {
      ...operator,
      operationId: 'findAccount',
      summary: 'The account with an e-mail address.',
      parameters: [{ name: 'email', in: 'query', required: true, schema: { type: 'string' } }],
      responses: {
        ...answers(200, 'The account.', 'Account'),
        ...refusals({ ...unknown, 400: 'No address was given.' }),
      },
    },
    post: {
      ...operator,
      operationId: 'openAccount',
      summary: 'Opens an account with its subscription, active on its plan.',
      ...requestBody('NewAccount', true),
      responses: {
        ...answers(201, 'The account.', 'Account'),
        ...refusals({ ...badBody, 409: 'There is one with this address or customer.' }),
      },
    },
  },
  '/internal/v1/accounts/{id}': {
    get: {
      ...operator,
      ...byId,
      operationId: 'readAccount',
      summary: 'An account, its subscription and keys, and what was done to them.',
      responses: { ...answers(200, 'The account.', 'Account'), ...refusals({ ...unknown }) },
    },
  },
  '/internal/v1/accounts/{id}/keys': { post: { ...byId, ...creates('issueKey', 'Issues a key.') } },
  '/internal/v1/accounts/{id}/hold': {
    post: {
      ...byId,
      ...actionOperation(
        'holdAccount',
        'Holds a subscription: all its keys answer 402.',
        'HoldRequest',
        'Account',
      ),
    },
  },
  '/internal/v1/accounts/{id}/release': {
    post: {
      ...byId,
      ...actionOperation('releaseAccount', 'Lifts a hold, or an abuse trip.', 'Release', 'Account'),
    },
  },
  '/internal/v1/keys/{id}': {
    get: {
      ...operator,
      ...byId,
      operationId: 'readKey',
      summary: 'A key and what was done to it.',
      responses: { ...answers(200, 'The key.', 'KeyWithAudit'), ...refusals({ ...unknown }) },
    },
  },
  '/internal/v1/keys/{id}/rotate': {
    post: { ...byId, ...creates('rotateKey', 'Issues the successor of a key, beside it.') },
  },
  '/internal/v1/keys/{id}/revoke': {
    post: {
      ...byId,
      ...actionOperation(
        'revokeKey',
        'Retires a key that has a replacement, or revokes it at once.',
        'Revocation',
        'KeyWithAudit',
      ),
    },
  },
  '/internal/v1/keys/{id}/hold': {
    post: { ...byId, ...actionOperation('holdKey', 'Holds one key.', 'HoldRequest', 'KeyWithAudit') },
  },
  '/internal/v1/keys/{id}/release': {
    post: {
      ...byId,
      ...actionOperation('releaseKey', 'Lifts the hold of one key.', 'Release', 'KeyWithAudit'),
    },
  },
  ...paymentPaths,
  '/internal/v1/test-clock': {
    get: {
      ...operator,
      operationId: 'readTestClock',
      summary: 'The time, with TEST_CLOCK=1 only.',
      responses: { ...answers(200, 'The time.', 'TestClock'), ...refusals({}) },
    },
    post: {
      ...operator,
      operationId: 'advanceTestClock',
      summary: 'Moves the time; what falls due has been done when it answers.',
      ...requestBody('ClockAdvance', true),
      responses: { ...answers(200, 'The time.', 'TestClock'), ...refusals({ ...badBody }) },
    },
  },
  '/livez': { get: watched('livez', 'Whether the process runs.', 'Liveness') },
  '/readyz': {
    get: {
      ...watched('readyz', 'Whether requests should be sent here.', 'Readiness'),
      responses: { ...answers(200, 'Yes.', 'Readiness'), ...answers(503, 'No.', 'Readiness') },
    },
  },
  '/metrics': {
    get: {
      operationId: 'metrics',
      summary: 'Figures for Prometheus.',
      security: [],
      responses: {
        200: { description: 'Figures.', content: { 'text/plain': { schema: { type: 'string' } } } },
      },
    },
  },
};

/** The internal listener (D30): publishers, operators, and whoever watches over the service. */
export const internalPaths = (url: string, isDemo: boolean): JsonSchema =>
  Object.fromEntries(
    Object.entries(isDemo ? { ...paths, ...demoPaths } : paths).map(([path, item]) => [
      path,
      { servers: [{ url }], ...item },
    ]),
  );
