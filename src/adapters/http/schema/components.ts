import { accountSchemas } from './account-schemas.js';
import { feedSchemas } from './feed-schemas.js';
import { historySchemas } from './history-schemas.js';
import type { Properties } from './json-schema.js';
import { marketSchemas } from './market-schemas.js';
import { operationSchemas } from './operation-schemas.js';
import { newsParameters } from './parameter-schemas.js';
import { paymentSchemas } from './payment-schemas.js';
import { problemSchemas } from './problem-schemas.js';
import { streamSchemas } from './stream-schemas.js';

/** All schemas. The service validates with them, and `/openapi.json` publishes them. */
export const schemas: Properties = {
  ...feedSchemas,
  NewsParameters: newsParameters,
  ...streamSchemas,
  ...historySchemas,
  ...marketSchemas,
  ...problemSchemas,
  ...accountSchemas,
  ...paymentSchemas,
  ...operationSchemas,
};
