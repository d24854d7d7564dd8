import type { JsonSchema } from '../schema/json-schema.js';
import {
  actionOperation,
  badBody,
  byAccount,
  byKey,
  operator,
  refusals,
  unknown,
} from './internal-operations.js';
import { answers, requestBody } from './operations.js';

const creates = (texts: {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
}): JsonSchema => ({
  ...operator,
  ...texts,
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

/** The paths of accounts and their keys. */
export const accountPaths: Readonly<Record<string, JsonSchema>> = {
  '/internal/v1/accounts': {
    get: {
      ...operator,
      operationId: 'findAccount',
      summary: 'Finds an account by its email address.',
      description: 'Compares addresses in lower case.',
      parameters: [
        {
          name: 'email',
          in: 'query',
          required: true,
          description: 'The email address of the owner.',
          schema: { type: 'string' },
          example: 'owner@example.com',
        },
      ],
      responses: {
        ...answers(200, 'The account.', 'Account'),
        ...refusals({ ...unknown, 400: 'The email address is missing.' }),
      },
    },
    post: {
      ...operator,
      operationId: 'openAccount',
      summary: 'Opens an account with an active subscription.',
      description:
        'The plan sets the limits. Without a customer of the payment processor, no payment is expected.',
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
      ...byAccount,
      operationId: 'readAccount',
      summary: 'Reads an account with its subscription, keys and audit log.',
      description: 'The audit log has every change of the account and of its keys.',
      responses: { ...answers(200, 'The account.', 'Account'), ...refusals({ ...unknown }) },
    },
    delete: {
      ...operator,
      ...byAccount,
      operationId: 'deleteAccount',
      summary:
        'Deletes an account with its personal data. Its keys are revoked at once. This cannot be undone.',
      description: 'Refused while the payment processor has reported a subscription that has not ended.',
      responses: {
        204: { description: 'The account is deleted, now or before.' },
        ...refusals({
          ...unknown,
          409: 'The account has a subscription that has not ended. It can be in a payment event that was not applied.',
        }),
      },
    },
  },
  '/internal/v1/accounts/{id}/keys': {
    post: {
      ...byAccount,
      ...creates({
        operationId: 'issueKey',
        summary: 'Creates a key.',
        description:
          'Refused if the account has as many keys as its plan allows, or if its subscription is suspended.',
      }),
    },
  },
  '/internal/v1/accounts/{id}/hold': {
    post: {
      ...byAccount,
      ...actionOperation({
        operationId: 'holdAccount',
        summary: 'Holds a subscription. Requests with its keys return 402.',
        description:
          'All keys of the account get 402 with the cause `manual_hold` within a second. Running grace windows end.',
        body: 'HoldRequest',
        answer: 'Account',
      }),
    },
  },
  '/internal/v1/accounts/{id}/release': {
    post: {
      ...byAccount,
      ...actionOperation({
        operationId: 'releaseAccount',
        summary: 'Releases a hold or an abuse suspension.',
        description:
          'Lifts the cause `manual_hold`, or with `cause` the cause `abuse`. Keys with another cause stay suspended.',
        body: 'Release',
        answer: 'Account',
      }),
    },
  },
  '/internal/v1/keys/{id}': {
    get: {
      ...operator,
      ...byKey,
      operationId: 'readKey',
      summary: 'Reads a key with its audit log.',
      description: 'The state and the causes include those of the subscription.',
      responses: { ...answers(200, 'The key.', 'KeyWithAudit'), ...refusals({ ...unknown }) },
    },
  },
  '/internal/v1/keys/{id}/rotate': {
    post: {
      ...byKey,
      ...creates({
        operationId: 'rotateKey',
        summary: 'Creates a new key that replaces this one. Both keys work.',
        description:
          'The old key works until it is revoked with the cause `rotation`, or until 24 hours have passed since the first request with the new key, and then for 5 more minutes.',
      }),
    },
  },
  '/internal/v1/keys/{id}/revoke': {
    post: {
      ...byKey,
      ...actionOperation({
        operationId: 'revokeKey',
        summary: 'Revokes a key. With the cause `rotation`, it works for 5 more minutes.',
        description:
          'A revoked key never works again. `rotation` needs a newer active key of the account, and the old key works for 5 more minutes; `manual` takes effect at once.',
        body: 'Revocation',
        answer: 'KeyWithAudit',
      }),
    },
  },
  '/internal/v1/keys/{id}/hold': {
    post: {
      ...byKey,
      ...actionOperation({
        operationId: 'holdKey',
        summary: 'Holds one key. Requests with it return 402.',
        description:
          'Only this key gets 402 with the cause `manual_hold`. It cannot be rotated until it is released.',
        body: 'HoldRequest',
        answer: 'KeyWithAudit',
      }),
    },
  },
  '/internal/v1/keys/{id}/release': {
    post: {
      ...byKey,
      ...actionOperation({
        operationId: 'releaseKey',
        summary: 'Releases the hold on one key.',
        description: 'Lifts the hold on the key itself, not one on its subscription.',
        body: 'Release',
        answer: 'KeyWithAudit',
      }),
    },
  },
};
