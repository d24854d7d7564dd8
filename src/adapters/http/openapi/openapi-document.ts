import { schemas } from '../schema/components.js';
import type { JsonSchema } from '../schema/json-schema.js';
import { internalPaths } from './internal-paths.js';
import { publicPaths } from './public-paths.js';

/** `/openapi.json`: OpenAPI 3.1 with the schemas that the service validates with. */
export const openApiDocument = (settings: {
  readonly version: string;
  readonly publicUrl: string;
  readonly internalUrl: string;
  readonly isDemo: boolean;
}): JsonSchema => ({
  openapi: '3.1.0',
  info: {
    title: 'Oddswire',
    version: settings.version,
    summary: 'News events, each with its related prediction markets.',
    description:
      'Every item is event-driven market intelligence: not investment advice, and not a trading signal. ' +
      'Limits use fixed windows, aligned to the Unix epoch. Around the end of a window, you can use up to two quotas.',
    license: { name: 'MIT', identifier: 'MIT' },
  },
  servers: [{ url: settings.publicUrl }],
  paths: { ...publicPaths, ...internalPaths(settings.internalUrl, settings.isDemo) },
  components: {
    schemas,
    securitySchemes: {
      bearer: { type: 'http', scheme: 'bearer' },
      header: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
      query: {
        type: 'apiKey',
        in: 'query',
        name: 'api_key',
        description: 'Prefer a header: URLs appear in logs.',
      },
      operatorToken: { type: 'http', scheme: 'bearer' },
      publisherToken: { type: 'http', scheme: 'bearer' },
    },
  },
});
