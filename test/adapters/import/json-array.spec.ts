import { expect } from 'chai';
import { importFeed } from '../../../src/adapters/import/import-feed.js';

describe('The import of a file that is a JSON array', () => {
  for (const text of ['[{"n":1}]', '\n [\n{"n":1},\n{"n":2}\n]\n']) {
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
      expect(outcome.failed).to.include('the file is a JSON array').and.include('jq -c ".[]"');
      expect([outcome.published, outcome.rejected, bodies.join('')]).to.deep.equal([0, 0, '']);
    });
  }
});
