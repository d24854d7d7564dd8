import { ownValue } from '../../../domain/own-value.js';
import type { JsonSchema } from '../schema/json-schema.js';
import { accountExamples } from './examples/account-examples.js';
import type { Example } from './examples/example.js';
import { feedExamples } from './examples/feed-examples.js';
import { usedSchemas } from './used-schemas.js';

/** What the documents state about this installation. */
export type DocumentSettings = {
  readonly version: string;
  readonly publicUrl: string;
  readonly internalUrl: string;
  readonly isDemo: boolean;
};

export const documentSettings = ({
  version,
  config,
  publicAddress,
  fakePayments,
}: {
  readonly version: string;
  readonly config: { readonly internalHost: string; readonly internalPort: number };
  readonly publicAddress: { readonly url: () => string };
  /** Null except in the demo. */
  readonly fakePayments: unknown;
}): DocumentSettings => ({
  version,
  publicUrl: publicAddress.url(),
  internalUrl: `http://${config.internalHost}:${config.internalPort}`,
  isDemo: fakePayments !== null,
});

type Operation = {
  readonly operationId: string;
  readonly requestBody?: Body;
  readonly responses: Readonly<Record<string, Body>>;
};
type Body = { readonly content?: Readonly<Record<string, JsonSchema>> };

/** An OpenAPI 3.1 document: paths with their examples and links, and the schemas that they use. */
export function openApi(
  { version, publicUrl }: DocumentSettings,
  document: {
    readonly info: JsonSchema;
    readonly servers: readonly JsonSchema[];
    readonly tags: readonly JsonSchema[];
    readonly paths: JsonSchema;
    readonly securitySchemes: JsonSchema;
    readonly chapterOf: (operationId: string) => string;
  },
): JsonSchema {
  const { info, servers, tags, securitySchemes, chapterOf } = document;
  const docs = `${publicUrl}/docs`;
  const linked = ({ operationId, ...operation }: Operation) => ({
    operationId,
    externalDocs: {
      url: `${docs}/${chapterOf(operationId)}`,
      description: 'The chapter in the documentation',
    },
    ...withExample(operation, exampleOf(operationId)),
  });
  const paths = mapValues(document.paths as Readonly<Record<string, JsonSchema>>, (item) =>
    mapValues(item, (operation, method) =>
      isMethod(method) ? linked(operation as Operation) : (operation as JsonSchema),
    ),
  );
  return {
    openapi: '3.1.0',
    info: { ...info, version, license: { name: 'MIT', identifier: 'MIT' } },
    externalDocs: { url: docs, description: 'The documentation for people' },
    servers,
    tags,
    paths,
    components: { schemas: usedSchemas(paths), securitySchemes },
  };
}

const isMethod = (name: string): boolean => ['get', 'post', 'delete'].includes(name);

const exampleOf = (operationId: string): Example =>
  ownValue(feedExamples, operationId) ?? ownValue(accountExamples, operationId) ?? {};

/** The same operation with the example of its body, and of the body of its successful response. */
const withExample = (
  operation: Omit<Operation, 'operationId'>,
  { request, response }: Example,
): JsonSchema => ({
  ...operation,
  ...(operation.requestBody && { requestBody: illustrated(operation.requestBody, request) }),
  responses: mapValues(operation.responses, (answer, status) =>
    status.startsWith('2') ? illustrated(answer, response) : answer,
  ),
});

/** An event stream has no example of its own: its messages are those of a batch. */
const illustrated = (body: Body, example: unknown): Body =>
  body.content === undefined || example === undefined
    ? body
    : {
        ...body,
        content: mapValues(body.content, (media, type) =>
          type === 'text/event-stream' ? media : { ...media, example },
        ),
      };

const mapValues = <Value, Mapped>(
  table: Readonly<Record<string, Value>>,
  map: (value: Value, name: string) => Mapped,
): Readonly<Record<string, Mapped>> =>
  Object.fromEntries(Object.entries(table).map(([name, value]) => [name, map(value, name)]));
