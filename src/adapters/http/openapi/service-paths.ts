import type { JsonSchema } from '../schema/json-schema.js';
import { answers, header, problems, retryAfter } from './operations.js';
import { commonHeaders, problemHeaders, readErrors } from './public-responses.js';

const service = { tags: ['Service'], security: [] };

/** The errors of every route that needs no key. */
const openErrors: JsonSchema = {
  ...problems(
    { 400: 'The request is not valid HTTP.', ...readErrors, 500: 'Internal error.' },
    problemHeaders,
  ),
  ...problems({ 503: 'Too many requests are in progress.' }, { ...problemHeaders, ...retryAfter }),
};

const documentHeaders: JsonSchema = {
  ...commonHeaders,
  ETag: header('A weak ETag.'),
  Link: header('Links to the documentation and to the status of the service (RFC 8631).'),
};

/** The paths that describe the service itself. They need no key. */
export const servicePaths: JsonSchema = {
  '/': {
    get: {
      ...service,
      operationId: 'readIndex',
      summary: 'Returns the addresses of the service.',
      description: 'Browsers get a page instead: the answer depends on `Accept`.',
      responses: {
        ...answers(200, 'The addresses.', 'Index', documentHeaders),
        304: { description: 'The addresses have not changed.', headers: documentHeaders },
        ...openErrors,
      },
    },
  },
  '/status': {
    get: {
      ...service,
      operationId: 'readStatus',
      summary: 'Reads the age of the newest item and the health of the dependencies.',
      description:
        'Use it for monitoring. It uses no quota. Browsers get a page instead: the answer depends on `Accept`.',
      responses: { ...answers(200, 'The current status.', 'Status', commonHeaders), ...openErrors },
    },
  },
  '/openapi.json': {
    get: {
      ...service,
      operationId: 'readOpenApi',
      summary: 'Returns this document.',
      description: 'The service validates requests with the same schemas.',
      responses: {
        200: {
          description: 'OpenAPI 3.1.',
          headers: documentHeaders,
          content: { 'application/json': { example: { openapi: '3.1.0', info: { title: 'Oddswire' } } } },
        },
        304: { description: 'The document has not changed.', headers: documentHeaders },
        ...openErrors,
      },
    },
  },
};
