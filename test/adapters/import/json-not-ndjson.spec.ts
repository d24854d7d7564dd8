import { expect } from 'chai';
import { importFeed } from '../../../src/adapters/import/import-feed.js';

const ARRAY = ['the file is a JSON array', 'jq -c ".[]"'] as const;
const SEVERAL_LINES = ['the file has an item on several lines', 'jq -c .'] as const;

describe('The import of a file that is JSON and not NDJSON', () => {
  for (const [text, cause, command] of [
    ['[{"n":1}]', ...ARRAY],
    ['\n [\n{"n":1},\n{"n":2}\n]\n', ...ARRAY],
    ['{\n  "n": 1\n}\n', ...SEVERAL_LINES],
    ['{ "n": 1,\r\n  "m": {}\r\n}', ...SEVERAL_LINES],
  ] as const) {
    it(`publishes nothing, and says how to convert it (${JSON.stringify(text)})`, async () => {
      const bodies: string[] = [];
      const outcome = await importFeed({
        chunks: (async function* () {
          yield Buffer.from(text);
        })(),
        post: async (body) => {
          bodies.push(body.toString());
          return { accepted: 0, rejected: [] };
        },
        progress: { show: () => {}, print: () => {}, close: () => {} },
      });
      expect(outcome.failed).to.include(cause).and.include(command);
      expect([outcome.published, outcome.rejected, bodies.join('')]).to.deep.equal([0, 0, '']);
    });
  }
});
