import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { readEmailAddress } from '../../../domain/accounts/email-address.js';
import { isWebLink, WEB_LINK } from '../../../domain/feed/web-link.js';
import { parseMoment } from '../../../domain/moment.js';
import { ownValue } from '../../../domain/own-value.js';
import type { Fault, FaultKind } from '../../../domain/refusal.js';
import { schemas } from './components.js';
import { MOMENT_MESSAGE, READ_MOMENT_FORMAT } from './moment-schemas.js';

/** The most faults that are reported. A publication of 1 MB can have thousands. */
const FAULTS_MAX = 20;

const DOCUMENT = 'oddswire';

const ajv = new Ajv2020({
  allErrors: true,
  verbose: true,
  strictTypes: false,
  strictRequired: false,
  // Our schemas are checked by a test. At each start of the service, that would take 30 ms.
  validateSchema: false,
});
addFormats.default(ajv, ['date-time']);
ajv.addFormat('uri', isWebLink);
ajv.addFormat(READ_MOMENT_FORMAT, (text) => parseMoment(text) !== undefined);
// The rule of `domain/accounts/email-address.ts` replaces the one of ajv-formats.
ajv.addFormat('email', (text) => readEmailAddress(text) !== undefined);
ajv.addVocabulary(['components', 'x-extensible-enum']);
ajv.addSchema({ $id: DOCUMENT, components: { schemas } });

/** Validates a body against the schema of this name. Returns the faults, at most `FAULTS_MAX`; none if the value is valid. */
export function validator(name: string): (value: unknown) => readonly Fault[] {
  if (!Object.hasOwn(schemas, name)) throw new Error(`no schema is called ${name}`);
  let compiled: ValidateFunction | undefined;
  return (value) => {
    compiled ??= compile(name);
    return compiled(value)
      ? []
      : (compiled.errors ?? []).filter(isReported).slice(0, FAULTS_MAX).map(faultOf);
  };
}

/** When a value is first validated: to compile all schemas takes a tenth of the start. */
function compile(name: string): ValidateFunction {
  const validate = ajv.getSchema(`${DOCUMENT}#/components/schemas/${name}`);
  if (validate === undefined) throw new Error(`no schema is called ${name}`);
  return validate;
}

/** A member that is missing in each alternative is part of the fault of `anyOf`, which names all of them. */
const isReported = ({ keyword, schemaPath }: ErrorObject): boolean =>
  keyword !== 'required' || !schemaPath.includes('/anyOf/');

/** The location of the fault (a JSON pointer), its kind, and a message that states what is valid. */
function faultOf({ instancePath, keyword, params, message, parentSchema }: ErrorObject): Fault {
  switch (keyword) {
    case 'required':
      return {
        parameter: `${instancePath}/${pointerToken(params['missingProperty'])}`,
        code: 'missing',
        message: 'is missing',
      };
    case 'additionalProperties':
      return {
        parameter: `${instancePath}/${pointerToken(params['additionalProperty'])}`,
        code: 'unknown_field',
        message: 'is not a field of this object',
      };
    case 'anyOf':
      return { parameter: instancePath, code: 'missing', message: alternativesMessage(parentSchema) };
    case 'enum':
      return {
        parameter: instancePath,
        code: 'not_allowed',
        message: `must be one of ${params['allowedValues'].join(', ')}`,
      };
    case 'format':
      return {
        parameter: instancePath,
        code: kindOf(params['format']),
        message: formatMessage(params['format']),
      };
    case 'minimum':
    case 'maximum':
      return { parameter: instancePath, code: 'out_of_range', message: rangeMessage(parentSchema) };
    case 'type':
      return {
        parameter: instancePath,
        code: 'invalid_type',
        message: wholeNumberMessage(parentSchema) ?? `${message}`,
      };
    default:
      return { parameter: instancePath, code: kindOf(keyword), message: `${message}` };
  }
}

/** The kinds of faults in a format, and in a keyword that has no case above. */
const KINDS: Readonly<Record<string, FaultKind>> = {
  [READ_MOMENT_FORMAT]: 'invalid_moment',
  uri: 'invalid_uri',
  email: 'invalid_email',
  minLength: 'invalid_min_length',
  maxLength: 'invalid_max_length',
  pattern: 'invalid_pattern',
};

const kindOf = (name: string): FaultKind => ownValue(KINDS, name) ?? 'not_allowed';

/** Each alternative requires one member (the schema `Release`). */
const alternativesMessage = (schema: Readonly<Record<string, unknown>> = {}): string =>
  `must have ${(schema['anyOf'] as readonly { readonly required: string }[]).map(({ required }) => `\`${required}\``).join(' or ')}`;

const rangeMessage = (schema: Readonly<Record<string, unknown>> = {}): string =>
  schema['maximum'] === undefined
    ? `must be at least ${schema['minimum']}`
    : `must be from ${schema['minimum']} to ${schema['maximum']}`;

/** The form of an integer with a range, which only parameters have (`domain/feed/whole-number.ts`). */
const wholeNumberMessage = (schema: Readonly<Record<string, unknown>> = {}): string | undefined =>
  schema['type'] === 'integer' && schema['maximum'] !== undefined
    ? `${rangeMessage(schema)}, as at most ${String(schema['maximum']).length} digits without a sign`
    : undefined;

const FORMATS: Readonly<Record<string, string>> = {
  [READ_MOMENT_FORMAT]: MOMENT_MESSAGE,
  uri: WEB_LINK,
  email: 'must be an email address',
};

const formatMessage = (format: string): string => ownValue(FORMATS, format) ?? `must be a ${format}`;

/** A name as a token of a JSON pointer (RFC 6901). */
const pointerToken = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');
