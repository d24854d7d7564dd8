import { expect } from 'chai';
import { HOUR, plus, startOfHour } from '../../../src/domain/moment.js';
import { accepted } from '../../support/objects/builders.js';
import {
  ask,
  type Composed,
  composed,
  type Holder,
  keyHolder,
  requestNews,
} from '../../support/service/composed.js';
import { until } from '../../support/until.js';

type Usage = {
  readonly since: string;
  readonly hours: readonly {
    readonly hour: string;
    readonly key_id: string;
    readonly requests: Readonly<Record<string, number>>;
  }[];
};

describe('GET /pm/v2/usage/history (D74)', () => {
  let service: Composed;
  let holder: Holder;
  beforeEach(async () => {
    service = await composed();
    holder = await keyHolder(service);
  });
  afterEach(() => service.stop());

  const read = (query = '', value: string = holder.value) =>
    ask(`${service.url}/pm/v2/usage/history${query}`, { headers: { 'X-API-Key': value } });
  const hours = async (value?: string) => (await read('', value)).json<Usage>().hours;

  it('has the requests of every key of the account, by hour and class', async () => {
    const other = accepted(await service.parts.issueKey(holder.account, null, 'test'));
    await requestNews(service, holder.value);
    await requestNews(service, other.value);
    await ask(`${service.url}/pm/v2/news?limit=0`, { headers: { 'X-API-Key': holder.value } });
    service.clock.at = plus(service.clock.at, HOUR);
    await requestNews(service, other.value);
    await until(3, async () => (await hours()).filter(({ requests }) => requests['2xx'] === 1).length);
    const hour = startOfHour(plus(service.clock.at, -HOUR));
    const found = (await hours()).filter((each) => each.hour === hour);
    expect(found).to.have.deep.members([
      { hour, key_id: holder.key.id, requests: { '2xx': 1, '3xx': 0, '4xx': 1, '5xx': 0 } },
      { hour, key_id: other.key.id, requests: { '2xx': 1, '3xx': 0, '4xx': 0, '5xx': 0 } },
    ]);
  });

  it('has nothing of other accounts, and costs one request', async () => {
    const stranger = await keyHolder(service);
    await requestNews(service, holder.value);
    const { headers } = await read('', stranger.value);
    expect(headers['x-ratelimit-remaining']).to.equal('2999');
    const keys = new Set((await hours(stranger.value)).map(({ key_id }) => key_id));
    expect([...keys]).to.deep.equal([stranger.key.id]);
  });

  it('is CSV on request, and refuses other formats', async () => {
    await requestNews(service, holder.value);
    const { body, headers } = await read('?format=csv');
    const text = body.toString('utf8');
    expect(headers['content-type']).to.equal('text/csv; charset=utf-8');
    expect(text.split('\r\n').slice(0, 2)).to.deep.equal([
      'hour,key_id,2xx,3xx,4xx,5xx',
      `${startOfHour(service.clock.at)},${holder.key.id},1,0,0,0`,
    ]);
    const wrong = await read('?format=xml');
    expect(wrong.status).to.equal(400);
    expect(wrong.body.toString('utf8')).to.include('"invalid_enum"');
  });
});
