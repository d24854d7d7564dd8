import { ownValue } from '../../../domain/own-value.js';
import type { Reader } from '../answer/readers.js';
import { schemasFor } from '../schema/components.js';
import type { JsonSchema } from '../schema/json-schema.js';
import { accountExamples } from './examples/account-examples.js';
import type { Example } from './examples/example.js';
import { feedExamples } from './examples/feed-examples.js';
import { publishedInput, publishedOutput } from './published-schemas.js';
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
  readonly parameters?: readonly JsonSchema[];
  readonly requestBody?: Body;
  readonly 'x-websocket'?: { readonly receives: JsonSchema };
  readonly responses: Readonly<Record<string, Body>>;
};
type PathItem = Readonly<Record<string, JsonSchema>>;
type Body = { readonly content?: Readonly<Record<string, JsonSchema>> };

/** What clients must tolerate (D12, D49). `published-schemas.ts` leaves the schemas open for it. */
const ADDITIONS =
  'Later versions of the service can send further properties, further kinds of messages on streams and of lines of the history, and further codes: accept them, and ignore what you do not know. ' +
  'Schemas of what the service sends are therefore open; `x-extensible-enum` lists the known codes, and `discriminator` the known kinds of messages: look at `type` before you validate a message. Schemas of what it reads are closed.';

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
    /** Whose codes the document lists. */
    readonly reader: Reader;
  },
): JsonSchema {
  const { info, servers, tags, securitySchemes, chapterOf, reader } = document;
  const schemas = schemasFor(reader);
  const docs = `${publicUrl}/docs`;
  const examples: Readonly<Record<string, Example>> = { ...accountExamples, ...feedExamples(version) };
  const linked = ({ operationId, ...operation }: Operation) => ({
    operationId,
    externalDocs: {
      url: `${docs}/${chapterOf(operationId)}`,
      description: 'The chapter in the documentation',
    },
    ...withExample(published(operation), ownValue(examples, operationId) ?? {}),
  });
  const paths = mapValues(document.paths as Readonly<Record<string, PathItem>>, (item) =>
    mapValues(item, (operation, method) => (isMethod(method) ? linked(operation as Operation) : operation)),
  );
  const inputs = usedSchemas(schemas, Object.values(paths).map(inputsOfItem));
  return {
    openapi: '3.1.0',
    info: {
      ...info,
      description: `${info['description']} ${ADDITIONS}`,
      version,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    externalDocs: { url: docs, description: 'The documentation for people' },
    servers,
    tags,
    paths,
    components: {
      schemas: usedSchemas(schemas, paths, (schema, name) =>
        Object.hasOwn(inputs, name) ? publishedInput(schema) : publishedOutput(schema),
      ),
      securitySchemes,
    },
  };
}

/** The operation with the schemas of its parameters, bodies and responses in the form that is published. */
const published = ({ responses, ...inputs }: Omit<Operation, 'operationId'>) => ({
  ...publishedInput(inputs),
  responses: publishedOutput(responses),
});

const inputsOfItem = (item: PathItem) => Object.values(item).map(inputsOf);

/** What the service reads by an operation. */
const inputsOf = ({ parameters, requestBody, 'x-websocket': webSocket }: JsonSchema) => [
  parameters ?? [],
  requestBody ?? {},
  (webSocket as Operation['x-websocket'])?.receives ?? {},
];

const isMethod = (name: string): boolean => ['get', 'post', 'delete'].includes(name);

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

/** An event stream, lines of JSON and CSV have no example of their own: what they send is in the other form of the answer. */
const WITHOUT_EXAMPLE = ['text/event-stream', 'application/x-ndjson', 'text/csv'];

const illustrated = (body: Body, example: unknown): Body =>
  body.content === undefined || example === undefined
    ? body
    : {
        ...body,
        content: mapValues(body.content, (media, type) =>
          WITHOUT_EXAMPLE.includes(type) ? media : { ...media, example },
        ),
      };

const mapValues = <Value, Mapped>(
  table: Readonly<Record<string, Value>>,
  map: (value: Value, name: string) => Mapped,
): Readonly<Record<string, Mapped>> =>
  Object.fromEntries(Object.entries(table).map(([name, value]) => [name, map(value, name)]));
