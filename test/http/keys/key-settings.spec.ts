import { expect } from 'chai';
import {
  ask,
  bearer,
  type Composed,
  composed,
  type Holder,
  keyHolder,
  requestNews,
} from '../../support/service/composed.js';

describe('ALLOW_QUERY_KEY=false', () => {
  let service: Composed;
  let holder: Holder;
  before(async () => {
    service = await composed({ ALLOW_QUERY_KEY: 'false' });
    holder = await keyHolder(service);
  });
  after(() => service.stop());

  it('ignores a key in the query (D19)', async () => {
    const answer = await ask(`${service.url}/pm/v2/news?api_key=${holder.value}`);
    expect([answer.status, answer.json().code]).to.deep.equal([401, 'key_missing']);
    expect(answer.headers['www-authenticate']).to.equal('Bearer realm="oddswire"');
  });

  it('names the headers to a request with different keys in the query, which count as none (D19)', async () => {
    const answer = await ask(`${service.url}/pm/v2/news?api_key=${holder.value}&api_key=other`);
    expect(answer.json()).to.include({ code: 'key_missing' });
    expect(answer.json().detail).to.match(
      /^Send a key as `Authorization: Bearer <key>` or `X-API-Key: <key>`\./,
    );
  });

  it('still forbids storing responses to URLs with a key (D19)', async () => {
    const answer = await requestNews(service, holder.value, {}, `?api_key=${holder.value}`);
    expect(answer.status).to.equal(200);
    expect(answer.headers).to.include({
      'cache-control': 'private, no-store',
      'referrer-policy': 'no-referrer',
    });
  });

  it('does not affect the two headers', async () => {
    const url = `${service.url}/pm/v2/news`;
    expect((await ask(url, { headers: { 'X-API-Key': holder.value } })).status).to.equal(200);
    expect((await ask(url, { headers: bearer(holder.value) })).status).to.equal(200);
  });
});

describe('KEY_PREFIX=acme_', () => {
  let service: Composed;
  let holder: Holder;
  before(async () => {
    service = await composed({ KEY_PREFIX: 'acme_' });
    holder = await keyHolder(service);
  });
  after(() => service.stop());

  it('is the start of issued keys and of their shown prefix (D1, D42)', () => {
    expect(holder.value).to.match(/^acme_[A-Za-z0-9_-]{43}$/);
    expect(holder.key.prefix).to.equal(holder.value.slice(0, 12));
  });

  it('is required in a key (D17)', async () => {
    expect((await requestNews(service, holder.value)).status).to.equal(200);
    const other = holder.value.replace('acme_', 'svc_');
    expect((await requestNews(service, other)).json().code).to.equal('key_unknown');
  });

  it('decides whether X-API-Key comes before Authorization (contract section 5.1, D16)', async () => {
    const codeOf = async (header: string, token: string) => {
      const headers = { 'X-API-Key': header, ...bearer(token) };
      const answer = await ask(`${service.url}/pm/v2/news`, { headers });
      return answer.status === 200 ? 'served' : answer.json().code;
    };
    expect(await codeOf(holder.value, 'other')).to.equal('served');
    expect(await codeOf('acme_nobody', holder.value)).to.equal('key_unknown');
    expect(await codeOf('svc_nobody', holder.value)).to.equal('served');
  });

  it('is the prefix by which keys in logs are redacted (D19)', async () => {
    await ask(`${service.url}/${holder.value}?news_id=${holder.value}`, {
      headers: { 'X-Request-Id': holder.value },
    });
    await service.stop();
    expect(JSON.stringify(service.lines)).not.to.include(holder.value.slice(5));
    expect(JSON.stringify(service.lines)).to.include('acme_[redacted]');
  });
});
