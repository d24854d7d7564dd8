import type { Reader } from '../answer/readers.js';
import { accountSchemas } from './account-schemas.js';
import { feedSchemas } from './feed-schemas.js';
import { historySchemas } from './history-schemas.js';
import type { Properties } from './json-schema.js';
import { marketSchemas } from './market-schemas.js';
import { operationSchemas } from './operation-schemas.js';
import { newsParameters } from './parameter-schemas.js';
import { paymentSchemas } from './payment-schemas.js';
import { problemSchemas } from './problem-schemas.js';
import { publicationSchemas } from './publication-schemas.js';
import { streamSchemas } from './stream-schemas.js';

/** All schemas. The service validates with them. */
export const schemas: Properties = {
  ...feedSchemas,
  ...publicationSchemas,
  NewsParameters: newsParameters,
  ...streamSchemas,
  ...historySchemas,
  ...marketSchemas,
  ...problemSchemas('customer', 'operator'),
  ...accountSchemas,
  ...paymentSchemas,
  ...operationSchemas,
};

/** The schemas that the document for these readers publishes. */
export const schemasFor = (reader: Reader): Properties => ({ ...schemas, ...problemSchemas(reader) });
