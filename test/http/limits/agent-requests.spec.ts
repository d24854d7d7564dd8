import { expect } from 'chai';
import type { Replacement } from '../../../src/composition/compose.js';
import { positionToken } from '../../../src/domain/feed/position.js';
import { FIRST_MOMENT } from '../../../src/domain/moment.js';
import { ask, bearer, type Composed, type Holder } from '../../support/service/composed.js';
import { failingFeed, newsService } from '../../support/service/middleware.js';

const AFTER = positionToken({ n: 1, mark: '00112233445566ff' });

type Content = { readonly result: { readonly content: readonly [{ readonly text: string }] } };

describe('A call of a tool at /mcp', () => {
  let service: Composed;
  let holder: Holder;
  const start = async (...replacements: readonly Replacement[]) => {
    ({ service, holder } = await newsService(['ne_1'], {}, ...replacements));
  };
  afterEach(() => service.stop());

  const call = async (name: string, args: object = {}) => {
    const { body, headers } = await ask(`${service.url}/mcp`, {
      method: 'POST',
      headers: {
        ...bearer(holder.value),
        Accept: 'application/json, text/event-stream',
        'Content-Type': 'application/json',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name, arguments: args },
      }),
    });
    const [, json = ''] = /^data: (.*)$/m.exec(body.toString('utf8')) ?? [];
    const { text } = (JSON.parse(json) as Content).result.content[0];
    return { ...(JSON.parse(text) as Record<string, unknown>), limits: headers['ratelimit'] };
  };
  const counts = async () =>
    Object.fromEntries(
      (await service.parts.usage.of([holder.key.id], FIRST_MOMENT)).map(({ statusClass, requests }) => [
        statusClass,
        requests,
      ]),
    );

  it('counts in the usage of the key as the request behind it', async () => {
    await start();
    await call('search_news');
    await call('watch_market', { market_id: 's1' });
    expect(await counts()).to.deep.equal({ '2xx': 2 });
    await call('search_news', { cursor: 'x' });
    expect(await counts()).to.deep.equal({ '2xx': 2, '4xx': 1 });
    await call('usage');
    await call('search_news', { limit: 0 });
    expect(await counts()).to.deep.equal({ '2xx': 2, '4xx': 1 });
  });

  it('is in the request log of the key as the request behind it (D74)', async () => {
    await start();
    await call('search_news', { limit: 3 });
    await call('search_news', { cursor: 'x' });
    await service.line(() => service.lines.filter(({ msg }) => msg === 'request').length === 2);
    const logged = await service.parts.recentRequests.of([holder.key.id]);
    const shown = logged.map(({ method, path, status, code, network }) =>
      [method, path, status, code, network].join(' '),
    );
    expect(shown).to.have.members([
      'POST /mcp 200  127.0.0.0/24',
      'POST /mcp 200  127.0.0.0/24',
      'GET /pm/v2/news 200  127.0.0.0/24',
      'GET /pm/v2/news 400 invalid_parameter 127.0.0.0/24',
    ]);
  });

  it('gives its permit back if the feed cannot be read, and says when to try again', async () => {
    const feed = failingFeed();
    await start(feed.replace);
    feed.isAway = true;
    const error = await call('search_news');
    expect(error).to.deep.include({ code: 'unavailable', retry_after_seconds: 1 });
    expect(error.limits).to.include('"minute";r=3000');
    expect(await counts()).to.deep.equal({ '5xx': 1 });
  });

  it('gives its permit back if no batch can be opened', async () => {
    await start(() => ({ openStream: () => () => 'overloaded' as const }));
    const error = await call('watch_market', { market_id: 's1', after: AFTER });
    expect(error).to.deep.include({ code: 'overloaded', retry_after_seconds: 1 });
    expect(error.limits).to.include('"minute";r=3000');
  });

  it('is an internal error if the batch fails, which is logged and shows nothing of it', async () => {
    const failing = () => {
      throw new Error('a secret of the service');
    };
    await start(() => ({ openStream: () => failing }));
    const error = await call('watch_market', { market_id: 's1', after: AFTER });
    expect(error).to.include({ code: 'internal' });
    expect(error).to.have.property('request_id');
    expect(JSON.stringify(error)).not.to.include('secret');
    expect(service.lines.some((line) => JSON.stringify(line).includes('a secret of the service'))).to.equal(
      true,
    );
    expect(error.limits).to.include('"minute";r=3000');
  });
});
