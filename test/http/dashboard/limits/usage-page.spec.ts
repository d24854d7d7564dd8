import { expect } from 'chai';
import { HOUR, plus, SECOND } from '../../../../src/domain/moment.js';
import { accepted } from '../../../support/objects/builders.js';
import { failedRequest, loggedRequest } from '../../../support/objects/logged-requests.js';
import { type Holder, keyHolder, publish, requestNews, START } from '../../../support/service/composed.js';
import { signedInHolder, visitorOf } from '../../../support/service/visitor.js';

describe('The usage page', () => {
  const { service, visitor } = signedInHolder();
  let mine: Holder;
  let own: Awaited<ReturnType<typeof visitorOf>>;
  beforeEach(async () => {
    mine = await keyHolder(service());
    own = await visitorOf(service(), mine.account);
  });

  /** Two served requests, and one with a parameter that is not valid. */
  const use = async () => {
    for (const query of ['?limit=2', '?limit=1', '?limit=0'])
      await requestNews(service(), mine.value, {}, query);
    await service().line(({ key_id, status }) => key_id === mine.key.id && status === 400);
  };
  const log = (...requests: readonly ReturnType<typeof loggedRequest>[]) =>
    service().parts.requestLogs.add(requests);

  it('shows the requests of each range by status, and no rows of zeros', async () => {
    await use();
    for (const [range, row] of [
      ['', ' 12:00 2 0 1 0 3'],
      ['?range=24h', ' 12:00 2 0 1 0 3'],
      ['?range=7d', ' 12:00 2 0 1 0 3'],
      ['?range=30d', '1 Mar 2 0 1 0 3'],
      ['?range=1h', '12:00 2 0 1 0 3'],
      ['?range=none', ' 12:00 2 0 1 0 3'],
    ] as const) {
      const { text, html } = await own.open(`/dashboard/usage${range}`);
      expect(text, range).to.include(row).and.include('Requests 3').and.include('Served 67%');
      expect(html.match(/<table id="usage">.*?<\/table>/s)?.[0]?.split('<tr>'), range).to.have.length(3);
      expect(text.includes('The last hour is counted from the request log'), range).to.equal(
        range === '?range=1h',
      );
    }
  });

  it('shows today’s share of the quota, and what it will be at the end of the day', async () => {
    await use();
    expect((await own.open('/dashboard/usage')).text).to.match(
      /Today 3 of [\d,]+; at this rate 0\.1% of today/,
    );
  });

  it('shows the latency that customers saw, and of how many requests', async () => {
    await log(
      ...[1, 2, 3, 400].map((durationMs) => loggedRequest({ key: mine.key.id, at: START, durationMs })),
    );
    expect((await own.open('/dashboard/usage')).text).to.include(
      'p95 latency 400 ms p50: 2.0 ms. Of the last 4 requests in the log',
    );
  });

  it('shows one key, and keeps the range', async () => {
    await use();
    const second = accepted(await service().parts.issueKey(mine.account, null, 'test'));
    const all = await own.open('/dashboard/usage?range=7d');
    expect(all.text)
      .to.include(`${mine.key.prefix}… 2 0 1 0 3`)
      .and.include(`${second.key.prefix}… 0 0 0 0 0`);
    const chosen = await own.open(`/dashboard/usage?range=7d&key=${second.key.id}`);
    expect(chosen.html).to.match(new RegExp(`<option value="${second.key.id}"[^>]*selected`));
    expect(chosen.html).to.include(`/dashboard/usage?range=30d&amp;key=${second.key.id}`);
    expect(chosen.text).to.include('No requests yet').and.include('By key');
    const foreign = await own.open('/dashboard/usage?key=key_of_nobody');
    expect(foreign.html).not.to.match(/<option value="key_[^>]*selected/);
  });

  it('shows a first request to an account without requests', async () => {
    const { text, html } = await own.open('/dashboard/usage');
    expect(text).to.include('No requests yet').and.include("curl -H 'Authorization: Bearer");
    expect(text).to.include('No requests in the last 24 hours.').and.not.include('Failed only');
    expect(html)
      .to.match(/data-copies="first-request"/)
      .and.not.match(/data-chart|usage-tiles/);
    await use();
    expect((await own.open('/dashboard/usage')).text).not.to.include('No requests yet');
  });

  it('says why requests were refused, how often, and what to do', async () => {
    await use();
    await log(
      failedRequest({ key: mine.key.id, at: START }),
      failedRequest({ key: mine.key.id, at: plus(START, -65 * SECOND) }),
      failedRequest({ key: mine.key.id, at: START, status: 499, code: null }),
    );
    const { text, html } = await own.open('/dashboard/usage');
    expect(text).to.match(/rate_limited 2 0 seconds ago Wait the seconds in Retry-After\./);
    expect(text)
      .to.match(/invalid_parameter 1 .*Correct each one in errors/)
      .and.match(/499 1 .*Your client disconnected/);
    expect(text).to.include('429: 2 · 402: 0 · 401: 0 in the log');
    expect(html).to.include('href="/docs/errors#rate_limited"');
    expect(html).to.include('href="/dashboard/usage?code=rate_limited#request-log"');
  });

  it('lists the last requests, newest first, and filters them by the address', async () => {
    const [key, later] = [mine.key.id, plus(START, SECOND)];
    await log(loggedRequest({ key, at: START, path: '/pm/v2/one', query: '', bytes: 4_321 }));
    await log(failedRequest({ key, at: later, path: '/pm/v2/two', requestId: 'a-failed-request' }));
    const listed = async (query: string) => (await own.open(`/dashboard/usage${query}`)).text;
    expect(await listed('')).to.match(
      / 12:00:11 429 GET \/pm\/v2\/two\?limit=10 rate_limited 1\.3 1,234 svc_\S+… 192\.0\.2\.0\/24 a-failed 12:00:10 200 GET \/pm\/v2\/one 1\.3 4,321/,
    );
    expect((await own.open('/dashboard/usage')).html).to.include(
      'data-value="a-failed-request" title="a-failed-request"',
    );
    service().clock.at = plus(START, 14 * HOUR);
    expect(await listed('')).to.include(' 1 Mar, 12:00:11 429');
    service().clock.at = START;
    for (const query of ['?failed=1', '?class=4xx', '?code=rate_limited', `?key=${key}&failed=1`]) {
      expect(await listed(query), query)
        .to.include('/pm/v2/two')
        .and.not.include('/pm/v2/one');
      expect(await listed(query), query).to.include('1 of the last 2 requests within 24 hours');
    }
    expect(await listed('?class=2xx'))
      .to.include('/pm/v2/one')
      .and.not.include('GET /pm/v2/two');
    expect(await listed('?code=key_revoked')).to.include('None of the last requests is like that.');
    expect(await listed('?class=9xx&code=<script>')).to.include('2 of the last 2 requests');
  });

  it('has the log on a page of its own, for its script', async () => {
    await use();
    const page = await own.open('/dashboard/usage?failed=1');
    expect(page.html).to.include('data-source="/dashboard/usage/log?failed=1"');
    const alone = await own.open('/dashboard/usage/log?failed=1');
    expect(alone.html).to.include('id="request-log"');
    expect(alone.text).to.include('invalid_parameter').and.not.include('limit=2');
  });

  it('shows no request of another account', async () => {
    await use();
    const other = await visitor().open(`/dashboard/usage?key=${mine.key.id}`);
    expect(other.text).to.include('No requests in the last 24 hours.');
    expect((await visitor().open(`/dashboard/usage.csv?key=${mine.key.id}`)).html).to.equal(
      'hour,key_id,2xx,3xx,4xx,5xx\r\n',
    );
  });

  it('exports the file that the API has', async () => {
    await use();
    const { html, headers } = await own.open('/dashboard/usage.csv');
    expect(html).to.equal(
      `hour,key_id,2xx,3xx,4xx,5xx\r\n2026-03-01T12:00:00.000000Z,${mine.key.id},2,0,1,0\r\n`,
    );
    expect(headers['content-type']).to.equal('text/csv; charset=utf-8');
    expect(headers['content-disposition']).to.equal('attachment; filename="usage.csv"');
    expect((await own.open(`/dashboard/usage.csv?key=${mine.key.id}`)).html).to.equal(html);
  });

  it('switches the mails about the quota off and on', async () => {
    const queued = async () => {
      await service().parts.quotaMails.queue();
      const all = await service().parts.outbox.claim(plus(START, SECOND), 1_000);
      for (const { id } of all) await service().parts.outbox.close(id, 'sent');
      const { email } = (await service().parts.accounts.find(mine.account)) ?? expect.fail();
      return all.filter(({ notice }) => notice.to === email && notice.news.kind === 'quota_used').length;
    };
    const isOff = async () => (await service().parts.accounts.find(mine.account))?.quotaMailsOff === true;
    const useAll = async () => {
      const { subscription } = (await service().parts.accounts.find(mine.account)) ?? expect.fail();
      const [, day] = (await service().parts.readLimits(subscription)) ?? [];
      if (day === undefined) throw new Error('the plan has a quota of a day');
      service().parts.quotaMails.note(mine.key.id, [{ ...day, remaining: 0 }]);
    };
    await own.open('/dashboard/usage');
    const off = await own.submit('/dashboard/usage/quota-mails', { mails: 'off' });
    expect([off.text.includes('Switched off. You get no email'), await isOff()]).to.deep.equal([true, true]);
    await useAll();
    expect(await queued()).to.equal(0);
    const on = await own.submit('/dashboard/usage/quota-mails', { mails: 'on' });
    expect([on.text.includes('You get an email when 80%'), await isOff()]).to.deep.equal([true, false]);
  });

  it('says what it does not count, and shows the age of the newest item of the feed', async () => {
    const shown = async () => (await visitor().open('/dashboard/usage')).text;
    expect(await shown()).to.include(
      'Pages of the feed and of markets in this dashboard also use your quota',
    );
    expect(await shown()).to.include('Newest feed item: unknown');
    await publish(service(), 'ne_1');
    expect(await shown()).to.include('Newest feed item: 2 hours ago');
  });
});
