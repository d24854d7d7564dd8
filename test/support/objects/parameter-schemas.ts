import { Ajv2020 } from 'ajv/dist/2020.js';
import { schemas } from '../../../src/adapters/http/schema/components.js';
import {
  CODES_FORMAT,
  NAMES_FORMAT,
  WORDS_FORMAT,
} from '../../../src/adapters/http/schema/filter-formats.js';
import type { JsonSchema } from '../../../src/adapters/http/schema/json-schema.js';
import { READ_MOMENT_FORMAT } from '../../../src/adapters/http/schema/moment-schemas.js';
import { AS_OF_FORMAT, READ_POSITION_FORMAT } from '../../../src/adapters/http/schema/position-schemas.js';
import { readCodes, readQueryWords, readTermValues } from '../../../src/domain/feed/filters/filter-values.js';
import { readPosition } from '../../../src/domain/feed/position.js';
import { readStreamPosition } from '../../../src/domain/feed/stream-position.js';
import { parseMoment } from '../../../src/domain/moment.js';

const ajv = new Ajv2020({ strict: false });
ajv.addFormat(READ_MOMENT_FORMAT, (text) => parseMoment(text) !== undefined);
ajv.addFormat(READ_POSITION_FORMAT, (text) => readStreamPosition(text) !== null);
ajv.addFormat(AS_OF_FORMAT, (text) => readPosition(text) !== null || parseMoment(text) !== undefined);
ajv.addFormat(CODES_FORMAT, (text) => readCodes(text) !== undefined);
ajv.addFormat(NAMES_FORMAT, (text) => readTermValues('author', text) !== undefined);
ajv.addFormat(WORDS_FORMAT, (text) => readQueryWords(text) !== undefined);
ajv.addFormat('date-time', true);
ajv.addFormat('uri', true);
ajv.addFormat('email', true);

/** Whether a value is valid by a schema of parameters or messages, with the formats that the documents name. */
export const isValidBy = (schema: JsonSchema) => ajv.compile(schema);

export const isValidSubscribe = isValidBy({
  $ref: '#/components/schemas/StreamSubscribe',
  components: { schemas },
});
