import { ownValue } from '../../../domain/own-value.js';
import type { JsonSchema } from '../schema/json-schema.js';
import { type DocumentSettings, openApi } from './document.js';
import { publicPaths } from './public-paths.js';

/** The chapter of the documentation that explains each operation. */
const CHAPTERS: Readonly<Record<string, string>> = {
  readNews: 'paging',
  openStream: 'stream',
  readChanges: 'following',
  readHistory: 'history',
  findMarkets: 'markets',
  readOwnKey: 'authentication',
  readUsage: 'limits',
  readUsageHistory: 'limits',
};

const securitySchemes: JsonSchema = {
  bearer: { type: 'http', scheme: 'bearer', description: 'The key in `Authorization: Bearer <key>`.' },
  header: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'The key in a header of its own.' },
  query: {
    type: 'apiKey',
    in: 'query',
    name: 'api_key',
    description: 'The key in the query. Prefer a header: URLs appear in logs.',
  },
};

/** `/openapi.json` of the public listener: what customers call, with the schemas that the service validates with. */
export const publicDocument = (settings: DocumentSettings): JsonSchema =>
  openApi(settings, {
    info: {
      title: 'Oddswire',
      summary: 'News events, each with its related prediction markets.',
      description:
        'Every item is event-driven market intelligence: not investment advice, and not a trading signal. ' +
        'Limits use fixed windows, aligned to the Unix epoch. Around the end of a window, you can use up to two quotas.',
    },
    servers: [{ url: settings.publicUrl, description: 'This service' }],
    tags: [
      { name: 'Feed', description: 'Items in pages, newest first.' },
      { name: 'Live stream', description: 'Each change of the feed, as it happens.' },
      { name: 'Account', description: 'What a key may use.' },
      { name: 'Service', description: 'Addresses, state and description of the service. No key is needed.' },
    ],
    paths: publicPaths,
    securitySchemes,
    chapterOf: (operationId) => ownValue(CHAPTERS, operationId) ?? 'reference',
    reader: 'customer',
  });
