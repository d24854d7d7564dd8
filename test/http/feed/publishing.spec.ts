import { expect } from 'chai';
import { Publishing } from '../../../src/adapters/http/feed/publishing.js';
import { MemoryFeedStore } from '../../../src/adapters/memory/feed/memory-feed-store.js';
import { publishNews } from '../../../src/application/feed/publish-news.js';
import type { PublishMode } from '../../../src/domain/feed/assign-scored-at.js';
import type { PublicationInput } from '../../../src/domain/feed/feed-item.js';
import type { Fault } from '../../../src/domain/refusal.js';
import { NOON, publication } from '../../support/objects/builders.js';
import { rightClock } from '../../support/objects/right-clock.js';
import { ask, bearer, type Composed, composed } from '../../support/service/composed.js';

const LISTED_MAX = 10_000;
const ALL = { before: null, since: null, newsId: null, marketId: null, terms: [], count: 1_000 };
const FAULT: Fault = { parameter: '', code: 'invalid_json', message: 'is not valid JSON' };

describe('One publishing request', () => {
  let feed: MemoryFeedStore;
  let batches: number[];
  let noted: unknown[];
  let publishing: Publishing;
  beforeEach(() => {
    feed = new MemoryFeedStore();
    batches = [];
    noted = [];
    const publish = publishNews({ feed, clock: () => NOON, clockCheck: rightClock });
    publishing = new Publishing(
      (inputs: readonly PublicationInput[], mode: PublishMode) => {
        batches.push(inputs.length);
        return publish(inputs, mode);
      },
      'live',
      { stored: (counts) => void noted.push(counts), rejected: (id) => void noted.push(id) },
    );
  });

  const published = async () => (await feed.page(ALL)).items.map(({ id }) => id);
  const dated = (id: string, scored_at: string) => publication({ id, scored_at });

  it('stores the valid lines even if others are invalid, and lists the invalid ones (D30)', async () => {
    await publishing.take(1, publication({ id: 'a' }));
    await publishing.take(2, { ...publication({ id: 'b' }), color: 'red' });
    await publishing.take(3, publication({ id: 'c' }));

    const report = await publishing.report();

    expect(report).to.deep.equal({
      accepted: 2,
      unchanged: 0,
      rejected: [
        {
          line: 2,
          id: 'b',
          errors: [{ parameter: '/color', code: 'unknown_field', message: 'is not a field of this object' }],
        },
      ],
    });
    expect(await published()).to.deep.equal(['c', 'a']);
    expect(noted).to.deep.equal(['b', { published: 2, unchanged: 0 }]);
  });

  it('lists lines in their order, those refused by the schema and those refused by the rules', async () => {
    await publishing.take(1, dated('future', '2030-01-01'));
    publishing.reject(2, null, [FAULT]);
    await publishing.take(3, publication({ id: 'good' }));
    await publishing.take(4, dated('future-too', '2030-01-01'));
    publishing.reject(5, null, [FAULT]);

    const { accepted, rejected } = await publishing.report();

    expect(accepted).to.equal(1);
    expect(rejected.map(({ line, id, errors }) => [line, id, errors.map(({ code }) => code)])).to.deep.equal([
      [1, 'future', ['scored_at_in_future']],
      [2, null, ['invalid_json']],
      [4, 'future-too', ['scored_at_in_future']],
      [5, null, ['invalid_json']],
    ]);
  });

  it('publishes lines in order and in batches, the rest with the report', async () => {
    for (let line = 1; line <= 120; line += 1) await publishing.take(line, publication({ id: `ne_${line}` }));
    expect(batches).to.deep.equal([50, 50]);
    expect((await publishing.report()).accepted).to.equal(120);
    expect(batches).to.deep.equal([50, 50, 20]);
    expect((await published()).slice(0, 2)).to.deep.equal(['ne_120', 'ne_119']);
  });

  it('returns a report even without lines', async () => {
    expect(await publishing.report()).to.deep.equal({ accepted: 0, unchanged: 0, rejected: [] });
  });

  it('lists 10 000 rejected lines at most, and counts the others', async () => {
    for (let line = 1; line <= LISTED_MAX; line += 1) publishing.reject(line, null, [FAULT]);
    expect(await publishing.report()).not.to.have.property('unlisted');

    for (let line = 1; line <= 5; line += 1) publishing.reject(LISTED_MAX + line, null, [FAULT]);
    const { rejected, unlisted } = await publishing.report();
    expect([rejected.length, unlisted]).to.deep.equal([LISTED_MAX, 5]);
    expect(rejected.at(-1)?.line).to.equal(LISTED_MAX);
  });

  for (const [json, id] of [
    [{ news_event: { id: 'ne_1' } }, 'ne_1'],
    [{ news_event: { id: 5 } }, null],
    [{ news_event: 'ne_1' }, null],
    [{ news_event: null }, null],
    [{ id: 'ne_1' }, null],
    [[], null],
    ['text', null],
    [5, null],
    [null, null],
  ] as const) {
    it(`finds the id in ${JSON.stringify(json)}: ${id ?? 'none'}`, async () => {
      await publishing.take(1, json);
      const { rejected } = await publishing.report();
      expect(rejected.map((line) => line.id)).to.deep.equal([id]);
    });
  }
});

describe('POST /internal/v1/news', () => {
  let service: Composed;
  before(async () => {
    service = await composed();
  });
  after(() => service.stop());

  const post = (body: string | Buffer, type = 'application/x-ndjson', query = '') =>
    ask(`${service.internalUrl}/internal/v1/news${query}`, {
      method: 'POST',
      headers: { ...bearer('publisher-token-of-the-tests'), 'Content-Type': type },
      body,
    });

  it('states how many invalid lines it does not list (D30)', async () => {
    const lines = Array.from({ length: LISTED_MAX + 3 }, () => '{');
    const answer = await post([...lines, JSON.stringify(publication({ id: 'last' }))].join('\n'));
    const report = answer.json<{ accepted: number; rejected: { line: number }[]; unlisted: number }>();
    expect([answer.status, report.accepted, report.rejected.length, report.unlisted]).to.deep.equal([
      200,
      1,
      LISTED_MAX,
      3,
    ]);
  });

  it('tells a publisher who repeats a publication that nothing has changed (D11)', async () => {
    const line = JSON.stringify(publication({ id: 'repeated' }));
    expect((await post(line)).json()).to.deep.equal({ accepted: 1, unchanged: 0, rejected: [] });
    const again = await post(line);
    expect([again.status, again.json()]).to.deep.equal([200, { accepted: 0, unchanged: 1, rejected: [] }]);
  });

  it('is 422 with the report if items were rejected and the feed has none of them (D11)', async () => {
    const invalid = await post('{"news_event":{}}');
    expect(invalid.status).to.equal(422);
    expect(invalid.json()).to.include({ accepted: 0, unchanged: 0 });
    expect((await post('')).status).to.equal(200);
  });

  it('refuses the correction of an item by a backfill, by its line (D11)', async () => {
    const corrected = (hour: string) =>
      JSON.stringify(publication({ id: 'corrected', source_published_at: `2026-02-28T${hour}:00:00Z` }));
    await post(corrected('10'));
    const refused = await post(corrected('11'), 'application/x-ndjson', '?mode=backfill');
    const { rejected } = refused.json<{ rejected: { id: string; errors: Fault[] }[] }>();
    expect([refused.status, rejected[0]?.id, rejected[0]?.errors[0]?.code]).to.deep.equal([
      422,
      'corrected',
      'not_backfill',
    ]);
  });

  it('refuses a parameter that it does not know, and stores nothing (D11)', async () => {
    const refused = await post(
      JSON.stringify(publication({ id: 'misspelt' })),
      'application/x-ndjson',
      '?mod=backfill',
    );
    const [fault] = refused.json<{ errors: Fault[] }>().errors;
    expect([refused.status, fault?.parameter, fault?.code]).to.deep.equal([400, 'mod', 'unknown_parameter']);
    const page = await service.parts.feed.page(ALL);
    expect(page.items.map(({ id }) => id)).not.to.include('misspelt');
    const secret = await post('', 'application/x-ndjson', `?${'x'.repeat(50)}=1&svc_${'x'.repeat(20)}=1`);
    expect(secret.body.toString()).not.to.include('xxxx');
  });

  it('counts blank lines and ignores them', async () => {
    const answer = await post(`\n \r\n${JSON.stringify(publication({ id: 'third' }))}\r\n\n{\n`);
    const { accepted, rejected } = answer.json<{ accepted: number; rejected: { line: number }[] }>();
    expect([accepted, rejected.map(({ line }) => line)]).to.deep.equal([1, [5]]);
  });

  for (const [title, body, code, message] of [
    ['that is not UTF-8', Buffer.from([0x22, 0xff, 0x22]), 'invalid_json', 'is not valid UTF-8'],
    ['that is not JSON', '{"secret": tru', 'invalid_json', 'is not valid JSON'],
  ] as const) {
    for (const type of ['application/x-ndjson', 'application/json']) {
      it(`refuses ${type} ${title}, and does not repeat it`, async () => {
        const answer = await post(body, type);
        const [fault] =
          answer.status === 400
            ? (answer.json().errors ?? [])
            : (answer.json<{ rejected: { errors: Fault[] }[] }>().rejected[0]?.errors ?? []);
        expect([answer.status, fault?.code]).to.deep.equal([type === 'application/json' ? 400 : 422, code]);
        expect(fault?.message).to.match(new RegExp(`^${message}( at position \\d+)?$`));
        expect(answer.body.toString()).not.to.include('secret');
      });
    }
  }
});
