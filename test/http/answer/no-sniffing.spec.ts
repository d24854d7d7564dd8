import { expect } from 'chai';
import {
  ask,
  bearer,
  type Composed,
  composed,
  keyHolder,
  publish,
  requestNews,
} from '../../support/service/composed.js';
import { rawSocket } from '../listener/raw-socket.js';

describe('X-Content-Type-Options: nosniff', () => {
  let service: Composed;
  let key: string;
  before(async () => {
    service = await composed({ STRIPE_WEBHOOK_SECRET: 'whsec_of_the_tests' });
    key = (await keyHolder(service)).value;
    await publish(service, 'ne_1');
  });
  after(() => service.stop());

  const requests: Readonly<Record<string, () => ReturnType<typeof ask>>> = {
    'a page by Koa': () => requestNews(service, key, {}, '?limit=7&api_key='),
    'a page by the listener': () => requestNews(service, key, {}, '?limit=7'),
    'a 304': async () => {
      const { headers } = await requestNews(service, key);
      return requestNews(service, key, { 'If-None-Match': headers.etag ?? '' });
    },
    'a 401': () => ask(`${service.url}/pm/v2/news`),
    'a 400': () => requestNews(service, key, {}, '?limit=0'),
    'a 404': () => ask(`${service.url}/nowhere`),
    'a 405': () => ask(`${service.url}/status`, { method: 'DELETE' }),
    OPTIONS: () => ask(`${service.url}/pm/v2/news`, { method: 'OPTIONS' }),
    'the OpenAPI document': () => ask(`${service.url}/openapi.json`),
    'a webhook': () => ask(`${service.url}/webhooks/stripe`, { method: 'POST', body: '{}' }),
    'a dashboard page': () => ask(`${service.url}/dashboard/sign-in`),
    'a response of the internal listener': () =>
      ask(`${service.internalUrl}/internal/v1/accounts/x`, {
        headers: bearer('operator-token-of-the-tests'),
      }),
    'a health check': () => ask(`${service.internalUrl}/livez`),
  };
  for (const [what, get] of Object.entries(requests)) {
    it(`is on ${what}`, async () => {
      expect((await get()).headers).to.include({ 'x-content-type-options': 'nosniff' });
    });
  }

  it('is on a response to a parser error', async () => {
    const caller = await rawSocket(service.port);
    caller.send('GARBAGE\r\n\r\n');
    expect(await caller.all()).to.include('X-Content-Type-Options: nosniff\r\n');
  });
});
