import { expect } from 'chai';
import { ask, bearer, type Composed, type Holder, requestNews } from '../../support/service/composed.js';
import { newsService } from '../../support/service/middleware.js';

const QUOTA = 600;

describe('Calls that use no quota', () => {
  let service: Composed;
  let holder: Holder;
  beforeEach(async () => {
    ({ service, holder } = await newsService(['ne_1']));
  });
  afterEach(() => service.stop());

  const usage = () => ask(`${service.url}/pm/v2/usage`, { headers: bearer(holder.value) });
  const agent = (id: number, method: string, params: object = {}) =>
    ask(`${service.url}/mcp`, {
      method: 'POST',
      headers: {
        ...bearer(holder.value),
        Accept: 'application/json, text/event-stream',
        'Content-Type': 'application/json',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id, method, params }),
    });

  it('have a limit of their own, and leave the quota as it is (D34)', async () => {
    for (let i = 0; i < QUOTA - 1; i += 1) await usage();
    expect((await agent(1, 'tools/list')).status).to.equal(200);
    const refusals = [await usage(), await agent(2, 'tools/list')];
    for (const { status, headers, json } of refusals) {
      expect([status, json().code, json().violated_policies]).to.deep.equal([
        ...[429, 'rate_limited', ['free_calls']],
      ]);
      expect(headers['retry-after']).to.match(/^[1-9]\d?$/);
      expect(headers['x-ratelimit-remaining']).to.equal('3000');
    }
    expect((await requestNews(service, holder.value)).status).to.equal(200);
    expect((await agent(3, 'tools/call', { name: 'search_news', arguments: {} })).status).to.equal(200);
  });

  it('get the list of tools that was made for the first of them, with their own ids', async () => {
    const answers = [await agent(1, 'tools/list'), await agent(7, 'tools/list')];
    const [first, second] = answers.map((answer) =>
      answer.json<{ id: number; result: { tools: object[] } }>(),
    );
    expect([first?.id, second?.id]).to.deep.equal([1, 7]);
    expect(first?.result.tools).to.have.length(6);
    expect(second?.result).to.deep.equal(first?.result);
    for (const { headers } of answers) expect(headers['content-type']).to.match(/^application\/json/);
  });
});
