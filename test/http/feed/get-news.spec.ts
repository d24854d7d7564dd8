import { expect } from 'chai';
import { positionToken } from '../../../src/domain/feed/position.js';
import { publication } from '../../support/objects/builders.js';
import { ask, bearer, type Composed, composed } from '../../support/service/composed.js';

type State = {
  readonly state: string;
  readonly revision: number;
  readonly position: string;
  readonly known_at: string;
  readonly scored_at: string;
  readonly endpoint_published_at: string | null;
  readonly item: { readonly news_event: { readonly headline: string } } | null;
};

describe('GET /internal/v1/news/{id} (D141)', () => {
  let service: Composed;
  before(async () => {
    service = await composed();
  });
  after(() => service.stop());

  const item = '/internal/v1/news/ne%2F1';
  const publisher = bearer('publisher-token-of-the-tests');
  const get = (headers: Readonly<Record<string, string>> = publisher) =>
    ask(`${service.internalUrl}${item}`, { headers });
  const publish = (headline: string) => {
    const sent = publication({ id: 'ne/1' });
    const headers = { ...publisher, 'Content-Type': 'application/json' };
    const body = JSON.stringify({ ...sent, news_event: { ...sent.news_event, headline } });
    return ask(`${service.internalUrl}/internal/v1/news`, { method: 'POST', headers, body });
  };
  const newest = async () => {
    const page = await service.parts.feed.page({
      ...{ before: null, since: null, newsId: null, marketId: null, terms: [], count: 1 },
    });
    return positionToken(page.position);
  };

  it('is 404 for an id that nobody has published', async () => {
    const answer = await get();
    expect([answer.status, answer.json().code]).to.deep.equal([404, 'not_found']);
  });

  it('shows the item that is in the feed, with the times and the revision of its last change', async () => {
    await publish('first');
    const first = (await get()).json<State>();
    expect([first.state, first.revision, first.item?.news_event.headline]).to.deep.equal([
      'published',
      1,
      'first',
    ]);
    await publish('second');
    const second = (await get()).json<State>();
    expect([second.state, second.revision, second.item?.news_event.headline]).to.deep.equal([
      'published',
      2,
      'second',
    ]);
    expect(second.position).to.equal(await newest());
    expect(second.endpoint_published_at).to.equal(first.endpoint_published_at);
    expect(second.scored_at > first.scored_at).to.equal(true);
  });

  it('has the same answer for operators, and none without a token or with a wrong one', async () => {
    const [own, operator] = [await get(), await get(bearer('operator-token-of-the-tests'))];
    expect(operator.json()).to.deep.equal(own.json());
    expect([(await get({})).status, (await get(bearer('wrong'))).status]).to.deep.equal([401, 401]);
  });

  it('says that an item was retracted, and its publication after that begins anew', async () => {
    const before = (await get()).json<State>();
    await ask(`${service.internalUrl}${item}`, { method: 'DELETE', headers: publisher });
    const { position, known_at, ...retracted } = (await get()).json<State>();
    expect(retracted).to.deep.equal({
      id: 'ne/1',
      state: 'retracted',
      revision: 3,
      scored_at: before.scored_at,
      endpoint_published_at: null,
      item: null,
    });
    expect([position, known_at >= before.known_at]).to.deep.equal([await newest(), true]);
    await publish('third');
    expect((await get()).json<State>()).to.include({ state: 'published', revision: 4 });
  });

  it('says that an item was purged', async () => {
    const body = JSON.stringify({ reason: 'it names a person' });
    const headers = {
      ...bearer('operator-token-of-the-tests'),
      'Content-Type': 'application/json',
      'Content-Length': `${body.length}`,
    };
    await ask(`${service.internalUrl}${item}?purge=true`, { method: 'DELETE', headers, body });
    expect((await get()).json<State>()).to.include({ state: 'purged', revision: 5, item: null });
  });

  it('refuses a parameter', async () => {
    const answer = await ask(`${service.internalUrl}${item}?revision=1`, { headers: publisher });
    expect([answer.status, answer.json().code]).to.deep.equal([400, 'invalid_parameter']);
  });
});
