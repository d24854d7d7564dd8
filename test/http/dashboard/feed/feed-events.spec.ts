import { expect } from 'chai';
import type { Reason } from '../../../../src/domain/accounts/reason.js';
import { FEED_PAGE_OPENS } from '../../../../src/domain/limits/attempt.js';
import { accepted, publication } from '../../../support/objects/builders.js';
import { ask, keyHolder, publish } from '../../../support/service/composed.js';
import { signedInHolder, type Visitor, visitorOf } from '../../../support/service/visitor.js';

const EVENTS = '/dashboard/feed/events';

/** The events of a page, as a browser reads them. */
class Events {
  readonly response: Response;
  readonly #aborted: AbortController;
  text = '';

  private constructor(response: Response, aborted: AbortController) {
    this.response = response;
    this.#aborted = aborted;
  }

  static async open(url: string, visitor: Visitor, query: string, headers = {}): Promise<Events> {
    const aborted = new AbortController();
    const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const options = { headers: { Cookie: cookie, ...headers }, signal: aborted.signal } as const;
    const events = new Events(
      await fetch(`${url}${EVENTS}?${query}`, { ...options, redirect: 'manual' }),
      aborted,
    );
    void events.#read().catch(() => {});
    return events;
  }

  async until(text: string): Promise<string> {
    while (!this.text.includes(text)) await new Promise((done) => setTimeout(done, 5));
    return this.text;
  }

  close(): void {
    this.#aborted.abort();
  }

  async #read(): Promise<void> {
    const decoder = new TextDecoder();
    for await (const chunk of this.response.body ?? []) this.text += decoder.decode(chunk, { stream: true });
  }
}

describe('The events of the feed page', () => {
  const { service, holder, visitor } = signedInHolder();
  const positionOf = async (query = '') => {
    const { html } = await visitor().open(`/dashboard/feed?${query}`);
    return /data-position="([^"]+)"/.exec(html)?.[1] ?? '';
  };
  const open = (query: string, headers = {}) => Events.open(service().url, visitor(), query, headers);

  it('begin at most 60 times a minute for one account (D123)', async () => {
    const own = await keyHolder(service());
    const other = await visitorOf(service(), own.account);
    const { html } = await other.open('/dashboard/feed');
    const after = /data-position="([^"]+)"/.exec(html)?.[1] ?? '';
    for (let i = 0; i < 59; i += 1) await service().parts.countAttempt(own.account, FEED_PAGE_OPENS);
    const last = await Events.open(service().url, other, `after=${after}`);
    const refused = await Events.open(service().url, other, `after=${after}`);
    expect([last.response.status, refused.response.status]).to.deep.equal([200, 429]);
    last.close();
    refused.close();
  });

  it('are the cards of the changes after the page, and continue after the last position', async () => {
    await publish(service(), 'ne_before');
    const events = await open(`after=${await positionOf()}`);
    expect(events.response.headers.get('content-type')).to.equal('text/event-stream; charset=utf-8');
    await publish(service(), 'ne_after');
    const text = await events.until('id: ');
    expect(text)
      .to.include('event: item\ndata: {"id":"ne_after","html":"<article class=\\"card\\"')
      .and.not.include('ne_before');
    const [, position = ''] = /^id: (.+)$/m.exec(text) ?? [];
    events.close();
    await service().parts.feed.retract('ne_after');
    await publish(service(), 'ne_later');
    const resumed = await open('after=ignored', { 'Last-Event-ID': position });
    const later = await resumed.until('ne_later');
    expect(later)
      .to.include('event: retraction\ndata: {"id":"ne_after"}')
      .and.not.include('"html":"ne_after');
    resumed.close();
  });

  it('are those that pass the filter of the page', async () => {
    const query = 'market=s-ne_mine';
    const events = await open(`${query}&after=${await positionOf(query)}`);
    await publish(service(), 'ne_other');
    await publish(service(), 'ne_mine');
    expect(await events.until('"ne_mine"')).not.to.include('"ne_other"');
    events.close();
  });

  it('need a session, a position, a filter and a served subscription', async () => {
    const position = await positionOf();
    const statusOf = async (query: string, person = visitor()) => {
      const events = await Events.open(service().url, person, query);
      events.close();
      return events.response.status;
    };
    expect(await statusOf('')).to.equal(400);
    expect(await statusOf('after=elsewhere')).to.equal(400);
    expect(await statusOf(`after=${position}&source_tier=,`)).to.equal(400);
    const { status } = await ask(`${service().url}${EVENTS}?after=${position}`);
    expect(status).to.equal(303);
    const made = await keyHolder(service());
    const person = await visitorOf(service(), made.account);
    await service().parts.hold.onSubscription(made.account, 'held', 'a test' as Reason, 'operator');
    expect(await statusOf(`after=${position}`, person)).to.equal(404);
  });

  it('answer HEAD as they would answer GET, for a page that connects again, and keep no room for it', async () => {
    const path = `${EVENTS}?after=${await positionOf()}`;
    const { status, headers } = await visitor().openOnce(path, 'HEAD');
    expect([status, headers['content-type']]).to.deep.equal([200, 'text/event-stream; charset=utf-8']);
    expect((await ask(`${service().url}${path}`, { method: 'HEAD' })).status).to.equal(303);
  });

  it('cost no request, and a page of older items has none', async () => {
    const events = await open(`after=${await positionOf()}`);
    events.close();
    const before = await ask(`${service().url}/pm/v2/usage`, {
      headers: { 'X-API-Key': holder().value },
    });
    await open(`after=${await positionOf()}`).then((again) => again.close());
    const after = await ask(`${service().url}/pm/v2/usage`, { headers: { 'X-API-Key': holder().value } });
    const remaining = ({ body }: { readonly body: Buffer }) =>
      /"remaining":(\d+)/.exec(body.toString('utf8'))?.[1];
    // The page itself is one request.
    expect(Number(remaining(before)) - Number(remaining(after))).to.equal(1);
    const items = Array.from({ length: 12 }, (_, i) => publication({ id: `ne_old_${i}` }));
    for (const answer of await service().parts.publishNews(items, 'live')) accepted(answer);
    const { html } = await visitor().open('/dashboard/feed');
    const older = /\/dashboard\/feed\?cursor=[^"]+/.exec(html)?.[0] ?? '';
    expect((await visitor().open(older)).html).not.to.include('data-events');
  });
});
