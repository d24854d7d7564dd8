import { expect } from 'chai';
import { publication } from '../../support/objects/builders.js';
import {
  aKey,
  page,
  problem,
  publishAll,
  type ServiceUnderTest,
  unique,
} from '../../support/service/api-calls.js';

type Change = {
  readonly position: string;
  readonly kind: string;
  readonly known_at: string;
  readonly scored_at: string | null;
  readonly id: string;
  readonly revision: number | null;
  readonly item: { readonly news_event: { readonly id: string; readonly headline: string } } | null;
};
type HistoryPage = {
  readonly changes: readonly Change[];
  readonly position: string;
  readonly complete: boolean;
};

/** D61: every change of the feed, with the version that it brought. */
export function historySuite({ client }: ServiceUnderTest): void {
  describe('the history', () => {
    let key: string;
    let start: string;
    before(async () => {
      ({ key } = await aKey(client()));
    });
    beforeEach(async () => {
      await publishAll(client(), [publication({ id: unique() })]);
      start = String((await client().news(key, '?limit=1')).headers['feed-position']);
    });
    const ask = (query: string, accept = 'application/json') =>
      client().ask(`/pm/v2/history${query}`, { headers: { 'X-API-Key': key, Accept: accept } });
    const read = async (query: string) => (await ask(query)).json as HistoryPage;
    const lines = async (query: string): Promise<readonly Change[]> => {
      const { text } = await ask(query, 'application/x-ndjson');
      expect(text).to.match(/\n$/);
      const all = text
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line) as Change);
      const changes = all.slice(0, -1);
      expect(all.at(-1)).to.deep.equal({ type: 'complete', position: changes.at(-1)?.position });
      return changes;
    };
    const walk = async (query: string, limit: number): Promise<readonly Change[]> => {
      const changes: Change[] = [];
      let after = start;
      for (;;) {
        const found = await read(`?after=${after}&limit=${limit}${query}`);
        changes.push(...found.changes);
        if (found.complete) return changes;
        after = found.position;
      }
    };
    const titled = (id: string, headline: string) => {
      const item = publication({ id });
      return { ...item, news_event: { ...item.news_event, headline } };
    };

    it('has every version in its order, as pages and as lines', async () => {
      const [a, b] = [unique(), unique()];
      await publishAll(client(), [titled(a, 'one'), titled(b, 'other')]);
      await publishAll(client(), [titled(a, 'two')]);
      await client().retract(a);
      const whole = await walk('', 500);
      const short = whole.map(({ kind, id, revision, item }) => [
        kind,
        id,
        revision,
        item?.news_event.headline,
      ]);
      expect(short).to.deep.equal([
        ['published', a, 1, 'one'],
        ['published', b, 1, 'other'],
        ['replaced', a, 2, 'two'],
        ['retracted', a, 3, undefined],
      ]);
      expect(whole.map(({ known_at }) => known_at)).to.deep.equal(
        whole.map(({ known_at }) => known_at).toSorted(),
      );
      expect(await walk('', 1)).to.deep.equal(whole);
      expect(await lines(`?after=${start}`)).to.deep.equal(whole);
      expect(await walk(`&news_id=${a}`, 100)).to.deep.equal(whole.filter(({ id }) => id === a));
    });

    it('applied change by change, is a walk of the feed as it was at each of them', async () => {
      const ids = [unique(), unique(), unique()];
      await publishAll(
        client(),
        ids.map((id) => titled(id, 'first')),
      );
      await client().retract(String(ids[1]));
      await publishAll(client(), [titled(String(ids[0]), 'second'), titled(String(ids[1]), 'back')]);
      const since = String((await client().news(key, `?as_of=${start}&limit=1`)).headers['feed-head']);
      const held = new Map<string, NonNullable<Change['item']>>();
      for (const change of await walk('', 500)) {
        if (change.item === null) held.delete(change.id);
        else held.set(change.id, change.item);
        const then = page(await client().news(key, `?as_of=${change.position}&since=${since}&limit=500`));
        const shown = then.items.filter(({ news_event }) => ids.includes(news_event.id));
        expect(shown).to.have.deep.members([...held.values()]);
      }
    });

    it('ends at a position or a time, and is then the same from every instance', async () => {
      await publishAll(client(), [titled(unique(), 'x'), titled(unique(), 'y')]);
      const [first, last] = await walk('', 500);
      expect(await lines(`?after=${start}&until=${first?.position}`)).to.deep.equal([first]);
      await publishAll(client(), [titled(unique(), 'later')]);
      const range = `?after=${start}&until=${last?.position}`;
      const bodies = await Promise.all(
        [1, 2].map(async () => (await ask(range, 'application/x-ndjson')).text),
      );
      expect(bodies[0]).to.deep.equal(bodies[1]);
      expect((await lines(range)).length).to.equal(2);
      const known = await lines(`?since=${first?.known_at}&until=${last?.known_at}`);
      expect(known.map(({ id }) => id)).to.include.members([first?.id, last?.id]);
    });

    it('shows a filter what a stream gets: retractions, and a replacement that no longer passes without its item', async () => {
      const [a, b, word] = [unique(), unique(), `w${unique().replaceAll('-', '')}`];
      await publishAll(client(), [titled(a, word), titled(b, 'nothing')]);
      await publishAll(client(), [titled(a, 'nothing')]);
      await client().retract(b);
      const found = await walk(`&q=${word}`, 100);
      expect(found.map(({ kind, id, item }) => [kind, id, item !== null])).to.deep.equal([
        ['published', a, true],
        ['replaced', a, false],
        ['retracted', b, false],
      ]);
    });

    it('says in lines how far it is while a filter passes nothing, the same from every instance', async () => {
      await publishAll(
        client(),
        Array.from({ length: 600 }, () => publication({ id: unique() })),
      );
      const until = (await client().news(key, '?limit=1')).headers['feed-position'];
      const range = `?after=${start}&until=${until}&q=nowhere`;
      const bodies = await Promise.all(
        [1, 2].map(async () => (await ask(range, 'application/x-ndjson')).text),
      );
      expect(bodies[0]).to.equal(bodies[1]);
      const sent = String(bodies[0]).trimEnd().split('\n');
      const types = sent.map((line) => (JSON.parse(line) as { readonly type: string }).type);
      expect(new Set(types.slice(0, -1))).to.deep.equal(new Set(['progress']));
      expect(types.at(-1)).to.equal('complete');
      const { position } = JSON.parse(String(sent[0])) as Change;
      const rest = await ask(`?after=${position}&until=${until}&q=nowhere`, 'application/x-ndjson');
      expect(rest.text).to.equal(`${sent.slice(1).join('\n')}\n`);
    });

    it('is refused before its begin and for wrong parameters', async () => {
      const codes = async (query: string) => {
        const { code, errors } = problem(await ask(query)) as unknown as {
          readonly code: string;
          readonly errors?: readonly { readonly parameter: string; readonly code: string }[];
        };
        return [code, ...(errors ?? []).map((error) => `${error.parameter} ${error.code}`)];
      };
      expect(await codes('?since=2001-01-01T00:00:00Z')).to.deep.equal(['before_history']);
      expect(await codes(`?after=${start}&since=2026-01-01T00:00:00Z`)).to.deep.equal([
        'invalid_parameter',
        'since conflict',
      ]);
      expect(await codes('?after=x&limit=0')).to.deep.equal([
        'invalid_parameter',
        'after invalid_position',
        'limit out_of_range',
      ]);
    });

    it('needs a key', async () => {
      expect((await client().ask('/pm/v2/history')).status).to.equal(401);
    });
  });
}
