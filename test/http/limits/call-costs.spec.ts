import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect } from 'chai';
import { askStream, eventStream } from '../../support/live/stream-callers.js';
import {
  type Answer,
  ask,
  bearer,
  type Composed,
  type Holder,
  requestNews,
} from '../../support/service/composed.js';
import type { OpenApi } from '../../support/service/conformance.js';
import { newsService } from '../../support/service/middleware.js';

const PAGE = readFileSync(resolve(import.meta.dirname, '../../../../docs/limits.md'), 'utf8');
const QUOTA = 3_000;

/** The rows of the table “Calls with a key”: all cells, by the call. */
function documented(): ReadonlyMap<string, readonly string[]> {
  const [, section = ''] = PAGE.split('## Calls with a key');
  const rows = section.split('\n').filter((line) => line.startsWith('| `'));
  return new Map(
    rows.map((line) => {
      const cells = line.split('|').map((cell) => cell.trim());
      return [cells[1] ?? '', cells.slice(2, -1)];
    }),
  );
}

describe('The costs of calls with a key, as docs/limits.md states them (D34)', () => {
  let service: Composed;
  let holder: Holder;
  before(async () => {
    ({ service, holder } = await newsService(['ne_1', 'ne_2', 'ne_3']));
  });
  after(() => service.stop());

  const key = () => bearer(holder.value);
  const agent = (method: string, params: object) =>
    ask(`${service.url}/mcp`, {
      method: 'POST',
      headers: { ...key(), Accept: 'application/json', 'Content-Type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
  const calls: Readonly<Record<string, () => Promise<Pick<Answer, 'status'>>>> = {
    '`GET /pm/v2/news`, recent items': () => requestNews(service, holder.value),
    '`GET /pm/v2/news`, older items': () =>
      requestNews(service, holder.value, {}, '?cursor=2026-01-01T00:00:00.000000Z'),
    '`GET /pm/v2/news` with `as_of`': () =>
      requestNews(service, holder.value, {}, '?as_of=9999-01-01T00:00:00Z'),
    '`GET /pm/v2/stream`, stream': async () => {
      const caller = await eventStream(service, key());
      caller.close();
      return caller;
    },
    '`GET /pm/v2/stream`, batch': () => askStream(service, 'batch', key()),
    '`GET /pm/v2/changes`': () => askStream(service, 'batch', key(), '', '/pm/v2/changes'),
    '`GET /pm/v2/history`, page': () => ask(`${service.url}/pm/v2/history`, { headers: key() }),
    '`GET /pm/v2/history`, lines': () =>
      ask(`${service.url}/pm/v2/history`, { headers: { ...key(), Accept: 'application/x-ndjson' } }),
    '`GET /pm/v2/markets`': () => ask(`${service.url}/pm/v2/markets`, { headers: key() }),
    '`GET /pm/v2/key`': () => ask(`${service.url}/pm/v2/key`, { headers: key() }),
    '`GET /pm/v2/usage`': () => ask(`${service.url}/pm/v2/usage`, { headers: key() }),
    '`GET /pm/v2/usage/history`': () => ask(`${service.url}/pm/v2/usage/history`, { headers: key() }),
    '`POST /mcp`, call of a tool': () => agent('tools/call', { name: 'search_news', arguments: {} }),
    '`POST /mcp`, any other message': () => agent('tools/list', {}),
  };

  it('name every call that needs a key, with every column filled in', async () => {
    const rows = documented();
    expect([...rows.keys()]).to.deep.equal(Object.keys(calls));
    for (const cells of rows.values()) {
      expect(cells).to.have.length(5);
      for (const cell of cells) expect(cell).not.to.equal('');
    }
    const { paths } = (await ask(`${service.url}/openapi.json`)).json<OpenApi>();
    for (const [path, operations] of Object.entries(paths))
      for (const [method, operation] of Object.entries(operations)) {
        if (!JSON.stringify(operation).includes('"security":[{')) continue;
        const name = `\`${method.toUpperCase()} ${path}\``;
        expect(
          [...rows.keys()].some((row) => row.startsWith(name)),
          name,
        ).to.equal(true);
      }
  });

  for (const [call, make] of Object.entries(calls))
    it(`are right for ${call}`, async () => {
      const left = async () => {
        const usage = await ask(`${service.url}/pm/v2/usage`, { headers: key() });
        return usage.json<{ limits: { remaining: number }[] }>().limits[0]?.remaining ?? QUOTA;
      };
      const before = await left();
      expect((await make()).status).to.equal(200);
      expect(before - (await left())).to.equal(Number.parseInt(documented().get(call)?.[1] ?? '', 10));
    });
});
