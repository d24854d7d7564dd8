import { expect } from 'chai';
import type { ApiAnswer, CallApi } from '../../../src/adapters/mcp/api.js';
import { readItem } from '../../../src/adapters/mcp/tool-item.js';
import { RESULT_BYTES_MAX } from '../../../src/adapters/mcp/tool-result.js';
import { publication } from '../../support/objects/builders.js';

const item = (headline: string, long_context = 'Long.') => {
  const made = publication({ id: 'ne_1' });
  return { ...made, news_event: { ...made.news_event, headline, long_context } };
};

const change = (revision: number, kind: string, content: object | null) => ({
  position: `p${revision}`,
  revision,
  kind,
  known_at: `2026-11-26T10:00:0${revision % 10}.000000Z`,
  scored_at: null,
  id: 'ne_1',
  item: content,
});

const answered = (json: unknown, status = 200): ApiAnswer => ({
  status,
  json,
  feedPosition: 'p9',
  retryAfterSeconds: null,
});

type Version = {
  readonly revision: number;
  readonly kind: string;
  readonly headline: string | null;
  readonly changed: readonly { readonly field: string; readonly before: unknown; readonly after: unknown }[];
  readonly more_changed: number;
};
type Result = { readonly versions: readonly Version[] | null; readonly versions_left_out: number };

/** The result for this item and these changes. */
async function read(current: object, history: ApiAnswer, queries: string[] = []) {
  const callApi: CallApi = async (path, query) => {
    queries.push(`${path}?${query}`);
    return path === '/pm/v2/news' ? answered({ items: [current], next_cursor: null }) : history;
  };
  const outcome = await readItem(callApi, { news_id: 'ne_1' });
  return 'result' in outcome ? (outcome.result as Result) : expect.fail('no result');
}

const history = (changes: readonly object[], complete = true) =>
  answered({ changes, position: 'p9', complete });

describe('The versions of one item for an agent', () => {
  it('are read up to the position of its page, newest first, with what changed since the last content', async () => {
    const queries: string[] = [];
    const changes = [
      change(1, 'published', item('a')),
      change(2, 'replaced', item('b')),
      change(3, 'retracted', null),
      change(4, 'published', item('c')),
    ];
    const { versions, versions_left_out } = await read(item('c'), history(changes), queries);
    expect(queries).to.deep.equal([
      '/pm/v2/news?news_id=ne_1',
      '/pm/v2/history?news_id=ne_1&limit=500&until=p9',
    ]);
    const field = 'news_event.headline';
    expect(versions?.map(({ kind, headline, changed }) => [kind, headline, changed])).to.deep.equal([
      ['published', 'c', [{ field, before: 'b', after: 'c' }]],
      ['retracted', null, []],
      ['replaced', 'b', [{ field, before: 'a', after: 'b' }]],
      ['published', 'a', []],
    ]);
    expect(versions_left_out).to.equal(0);
  });

  it('are the newest that fit beside the item, with shortened texts', async () => {
    const long = (n: number) => item(`${n}`, `${'é'.repeat(159)}🎈${n}${'x'.repeat(5_000)}`);
    const changes = Array.from({ length: 100 }, (_, n) => change(n, 'replaced', long(n)));
    const small = await read(item('99'), history(changes));
    expect(small.versions?.map(({ revision }) => revision)).to.deep.equal(
      Array.from({ length: 25 }, (_, n) => 99 - n),
    );
    expect(small.versions_left_out).to.equal(75);
    const [{ changed } = { changed: [] }] = small.versions ?? [];
    expect(changed.at(-1)?.after).to.equal(`${'é'.repeat(159)}…`);
    const large = await read(item('99', 'x'.repeat(55_000)), history(changes));
    expect(large.versions?.length).to.be.within(1, 24);
    expect(large.versions_left_out).to.equal(100 - (large.versions?.length ?? 0));
    expect(Buffer.byteLength(JSON.stringify(large))).to.be.at.most(RESULT_BYTES_MAX);
  });

  it('are unknown without a complete history: the item is a result all the same', async () => {
    const refused = answered({ code: 'rate_limited', detail: '' }, 429);
    for (const answer of [refused, history([change(1, 'published', item('a'))], false)])
      expect(await read(item('a'), answer)).to.include({ versions: null, versions_left_out: 0 });
  });
});
