import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { parseMoment } from '../../../src/domain/moment.js';

export type Answered = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
};

type Response = {
  readonly content?: Readonly<Record<string, { readonly schema?: object }>>;
  readonly headers?: Readonly<Record<string, object>>;
};
type Operation = { readonly responses: Readonly<Record<string, Response>> };
export type OpenApi = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
};

/** Statuses that the HTTP layer may answer on every path, and their answer. */
const ANYWHERE = new Set([404, 405, 414]);
const PROBLEM = {
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
};

/** Headers that only some of these answers have. */
const SOMETIMES = new Set(['Feed-Head', 'Feed-As-Of', 'Ignored-Parameters', 'Feed-Filters']);

const NDJSON = 'application/x-ndjson';

const RATE_LIMIT: Readonly<Record<string, RegExp>> = {
  'ratelimit-policy': /^"[a-z_]+";q=\d+;w=\d+(, "[a-z_]+";q=\d+;w=\d+)*$/,
  ratelimit: /^"[a-z_]+";r=\d+;t=\d+(, "[a-z_]+";r=\d+;t=\d+)*$/,
  'x-ratelimit-limit': /^\d+$/,
  'x-ratelimit-remaining': /^\d+$/,
  'x-ratelimit-reset': /^\d{10}$/,
  'access-control-allow-origin': /^\*$/,
  'access-control-expose-headers': /RateLimit.*Retry-After.*ETag.*Feed-Head.*X-Request-Id/,
};

/**
 * A document whose schemas allow nothing but what they list: no other properties, and no other codes where all are known. Documents
 * are published open, for later versions; tests check that this version sends exactly what is described.
 */
export function closedDocument<Node>(node: Node): Node {
  if (typeof node !== 'object' || node === null) return node;
  if (Array.isArray(node)) return node.map(closedDocument) as Node;
  const members = Object.fromEntries(
    Object.entries(node).map(([name, member]) => [name, closedDocument(member)]),
  );
  const { type, properties, ...others } = members;
  // A code with a pattern is open in this version too.
  const codes = others['pattern'] === undefined ? others['x-extensible-enum'] : undefined;
  if (codes !== undefined) delete others['x-extensible-enum'];
  const types = [type].flat();
  return {
    ...others,
    ...(type !== undefined && { type }),
    ...(properties !== undefined && { properties }),
    ...(types.includes('object') && properties !== undefined && { additionalProperties: false }),
    ...(Array.isArray(codes) && { enum: types.includes('null') ? [...codes, null] : codes }),
  } as Node;
}

/** Checks answers against `/openapi.json` and against the headers of every answer (D32, D33, D36, D38). */
export function conformance(published: OpenApi) {
  const document = closedDocument(published);
  const ajv = new Ajv2020({ allErrors: true, strict: false });
  addFormats.default(ajv);
  ajv.addFormat('moment', (text) => parseMoment(text) !== undefined);
  ajv.addSchema({ $id: 'document', components: document.components });
  const operations = Object.entries(document.paths).map(
    ([path, methods]) => [new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`), methods] as const,
  );

  /** By schema of the document: to compile one for each answer would take most of the time of the tests. */
  const validators = new Map<object, ValidateFunction>();
  const validatorOf = (schema: object): ValidateFunction => {
    const known = validators.get(schema);
    if (known !== undefined) return known;
    const rooted = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/')) as object;
    const validator = ajv.compile(rooted);
    validators.set(schema, validator);
    return validator;
  };

  const schemaFaults = (schema: object, value: unknown): readonly string[] => {
    const validate = validatorOf(schema);
    return validate(value)
      ? []
      : (validate.errors ?? []).map(
          ({ instancePath, message }) => `${instancePath || 'the body'} ${message}`,
        );
  };

  const responseFor = (method: string, path: string, status: number): Response | undefined => {
    const [, methods] = operations.find(([pattern]) => pattern.test(path)) ?? [];
    const documented = methods?.[method === 'HEAD' ? 'get' : method.toLowerCase()]?.responses[String(status)];
    if (documented !== undefined) return documented;
    return ANYWHERE.has(status) ? PROBLEM : undefined;
  };

  /** The differences between an answer and the document; empty if it conforms. */
  return (method: string, path: string, answer: Answered, isPublic: boolean): readonly string[] => {
    const required = isPublic ? RATE_LIMIT : {};
    const faults = Object.entries({ 'x-request-id': /./, ...required }).flatMap(([name, form]) =>
      form.test(answer.headers[name] ?? '') ? [] : [`header ${name} is ${answer.headers[name]}`],
    );
    if (method === 'OPTIONS' && answer.status === 204) return faults;
    const response = responseFor(method, path, answer.status);
    if (response === undefined) return [...faults, `status ${answer.status} is not documented`];
    for (const name of Object.keys(response.headers ?? {})) {
      if (!SOMETIMES.has(name) && answer.headers[name.toLowerCase()] === undefined) {
        faults.push(`header ${name} is documented and missing`);
      }
    }
    const type = (answer.headers['content-type'] ?? '').split(';')[0] ?? '';
    const content = response.content?.[type];
    if (response.content === undefined || method === 'HEAD') return faults;
    if (content === undefined) return [...faults, `content type ${type} is not documented`];
    if (content.schema === undefined || type === 'text/plain') return faults;
    const { schema } = content;
    const texts = type === NDJSON ? answer.text.split('\n').filter((line) => line !== '') : [answer.text];
    return [...faults, ...texts.flatMap((text) => schemaFaults(schema, JSON.parse(text)))];
  };
}

export type Conformance = ReturnType<typeof conformance>;
