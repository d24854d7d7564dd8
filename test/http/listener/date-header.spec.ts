import { expect } from 'chai';
import { DAY, epochSeconds, plus } from '../../../src/domain/moment.js';
import {
  type Answer,
  ask,
  type Composed,
  composed,
  keyHolder,
  requestNews,
  START,
} from '../../support/service/composed.js';
import { rawSocket } from './raw-socket.js';

/** The Date header of a response in Unix seconds; NaN if it has none. */
const dateOf = ({ headers }: Pick<Answer, 'headers'>): number => Date.parse(headers.date ?? '') / 1_000;

/** The Date header of a parser error, in Unix seconds. */
async function dateOfGarbage(port: number): Promise<number> {
  const caller = await rawSocket(port);
  caller.send('GARBAGE\r\n\r\n');
  const [, date = ''] = /^Date: (.*)\r$/im.exec(await caller.all()) ?? [];
  return Date.parse(date) / 1_000;
}

describe('The Date header', () => {
  let service: Composed;
  afterEach(() => service.stop());

  it('shows the test clock on every response of both listeners, including parser errors', async () => {
    service = await composed({ TEST_CLOCK: '1' });
    const { value } = await keyHolder(service);
    service.clock.at = plus(START, 14 * DAY);
    const now = epochSeconds(service.clock.at);
    const byKoa = await requestNews(service, value, {}, '?api_key=');
    const page = await requestNews(service, value);
    const answers = {
      'a page by Koa': byKoa,
      'a page by the listener': page,
      'not modified': await requestNews(service, value, { 'If-None-Match': page.headers.etag ?? '' }),
      'an unknown key': await requestNews(service, 'svc_unknown'),
      'an unknown path': await ask(`${service.url}/nowhere`),
      preflight: await ask(`${service.url}/pm/v2/news`, { method: 'OPTIONS' }),
      'a dashboard page': await ask(`${service.url}/dashboard/sign-in`, { headers: { Host: 'localhost' } }),
      'a redirect': await ask(`${service.url}/dashboard`, { headers: { Host: 'localhost' } }),
      'the internal listener': await ask(`${service.internalUrl}/readyz`),
      'no token': await ask(`${service.internalUrl}/internal/v1/test-clock`),
    };
    const dates = Object.entries(answers).map(([name, answer]) => [name, dateOf(answer)]);
    expect(dates).to.deep.equal(Object.keys(answers).map((name) => [name, now]));
    expect(answers['not modified'].status).to.equal(304);
    expect(Number(page.headers['x-ratelimit-reset']) - dateOf(page)).to.be.within(0, 86_400);
    for (const port of [service.port, service.internalPort]) expect(await dateOfGarbage(port)).to.equal(now);
  });

  it('shows the time when the response begins, not when the request arrived', async () => {
    service = await composed({ TEST_CLOCK: '1' });
    const caller = await rawSocket(service.internalPort);
    const body = JSON.stringify(null);
    caller.send(
      `POST /internal/v1/news HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer publisher-token-of-the-tests\r\n` +
        `Content-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n`,
    );
    await caller.until('100 Continue');
    service.clock.at = plus(START, DAY);
    caller.send(body);
    const [, date = ''] = /^Date: (.*)\r$/im.exec(await caller.all()) ?? [];
    expect(Date.parse(date) / 1_000).to.equal(epochSeconds(plus(START, DAY)));
  });

  it('shows the system time if the test clock is off', async () => {
    service = await composed();
    const answer = await ask(`${service.url}/status`);
    expect(Math.abs(dateOf(answer) - Date.now() / 1_000)).to.be.below(60);
  });
});
