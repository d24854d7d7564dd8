import { expect } from 'chai';
import type { FeedItem } from '../../../src/domain/feed/feed-item.js';
import { expectUsable } from '../../support/browser/usable-page.js';
import { publish } from '../../support/service/composed.js';
import { operatorConsole } from '../../support/service/operator-console.js';
import type { Visitor } from '../../support/service/visitor.js';

describe('An item in the operator console', () => {
  const { service, operator } = operatorConsole();
  let count = 0;
  const published = async () => {
    count += 1;
    const id = `ne_item_${count}`;
    await publish(service(), id);
    return { id, path: `/operator/items/${id}` };
  };
  const stored = async (id: string) => (await service().parts.changeItem.find(id)) ?? null;
  const bodyOf = async (id: string) =>
    JSON.parse((await stored(id))?.json.toString('utf8') ?? 'null') as FeedItem | null;
  const ordersOf = (id: string) => service().parts.itemOrders.of(id, 9);

  /** The publication in the form, with another headline. */
  async function corrected(person: Visitor, path: string, headline: string): Promise<string> {
    expectUsable('correction', (await person.open(`${path}/correction`)).html);
    const { meta: _, ...item } = (await bodyOf(path.replace(/.*\//, ''))) as FeedItem;
    return JSON.stringify({ ...item, news_event: { ...item.news_event, headline } });
  }

  it('is found by its id, and shows its versions with the changed fields (D59)', async () => {
    const { id, path } = await published();
    const person = await operator();
    const page = await person.submit('/operator', { q: id });
    expect(page.status).to.equal(200);
    expect(page.text).to.include(`Item ${id}`).and.include('In the feed').and.include('Published 1');
    expectUsable('item', page.html);
    expect((await person.open('/operator/items/ne_nobody')).status).to.equal(404);
    expect((await person.open('/operator/items/%00')).status).to.equal(404);
    expect((await person.open('/operator/items/%E0%A4%A')).status).to.equal(404);
    expect((await person.open(`/operator/purges?id=${id}`)).html).to.include(`value="${id}"`);
    expect((await person.open(path)).html).to.include(`href="/operator/purges?id=${id}"`);
  });

  it('is retracted with a reason, which is stored with the operator (D127)', async () => {
    const { id, path } = await published();
    const person = await operator();
    expectUsable('retraction', (await person.open(`${path}/retraction`)).html);
    const page = await person.submit(`${path}/retraction`, { reason: 'a wrong <b>source', sure: 'yes' });
    expect(page.text).to.include('The item is retracted.').and.include('Not in the feed');
    expect(page.text).to.include('Retracted 2').and.include('a wrong <b>source');
    expect(page.html).not.to.include('<b>source');
    expect(await stored(id)).to.equal(null);
    const at = service().clock.at;
    expect(await ordersOf(id)).to.deep.equal([
      { action: 'retract', actor: 'operator', reason: 'a wrong <b>source', at },
    ]);
    expect(await service().parts.metrics.text()).to.match(/publications_total\{result="retracted"\} 1/);
    expect((await person.open(`${path}/retraction`)).status).to.equal(404);
    const again = await person.submit(`${path}/retraction`, { reason: 'x', sure: 'yes' });
    expect([again.status, (await ordersOf(id)).length]).to.deep.equal([404, 1]);
  });

  it('is not retracted without a confirmation, a reason, or a form of this session', async () => {
    const { id, path } = await published();
    const person = await operator();
    await person.open(`${path}/retraction`);
    const unsure = await person.submit(`${path}/retraction`, { reason: 'kept text' });
    expect([unsure.status, unsure.html.includes('>kept text</textarea>')]).to.deep.equal([400, true]);
    const silent = await person.submit(`${path}/retraction`, { reason: ' ', sure: 'yes' });
    expect([silent.status, silent.text.includes('Reason must have')]).to.deep.equal([400, true]);
    const forged = await person.post(`${path}/retraction`, { reason: 'x', sure: 'yes' });
    expect(forged.status).to.equal(403);
    expect([(await stored(id)) === null, await ordersOf(id)]).to.deep.equal([false, []]);
  });

  it('is corrected after its differences were shown, with a reason (D127)', async () => {
    const { id, path } = await published();
    const person = await operator();
    const before = await stored(id);
    const json = await corrected(person, path, 'Corrected & complete');
    const preview = await person.submit(`${path}/correction`, { json, step: 'preview' });
    expect(preview.text).to.include('Not published yet.').and.include('news_event.headline');
    expect(preview.text).to.include('Corrected & complete');
    expectUsable('preview of a correction', preview.html);
    expect(await stored(id)).to.deep.equal(before);
    const seen = before?.scoredAt ?? '';
    const sent = { json, step: 'publish', seen, reason: 'a typing error' };
    const page = await person.submit(`${path}/correction`, sent);
    expect(page.text).to.include('The correction is published.').and.include('Corrected 2');
    expect((await bodyOf(id))?.news_event.headline).to.equal('Corrected & complete');
    expect((await ordersOf(id)).map(({ action, reason }) => [action, reason])).to.deep.equal([
      ['correct', 'a typing error'],
    ]);
    const again = await person.submit(`${path}/correction`, sent);
    expect([again.status, again.text.includes('was already submitted')]).to.deep.equal([409, true]);
    expect(await ordersOf(id)).to.have.length(1);
  });

  it('is not corrected by what a publication would be refused for; every fault names its field', async () => {
    const { id, path } = await published();
    const person = await operator();
    const before = await stored(id);
    const seen = before?.scoredAt ?? '';
    const valid = JSON.parse(await corrected(person, path, 'x')) as FeedItem;
    const news_event = valid.news_event;
    for (const [json, field] of [
      ['{', 'is not valid JSON'],
      [JSON.stringify({ ...valid, color: 1 }), '/color is not a field'],
      [
        JSON.stringify({ ...valid, news_event: { ...news_event, headline: 7 } }),
        '/news_event/headline must be',
      ],
      [
        JSON.stringify({ ...valid, news_event: { ...news_event, id: 'ne_other' } }),
        '/news_event/id must stay',
      ],
      [JSON.stringify({ ...valid, scored_at: '2999-01-01T00:00:00Z' }), '/scored_at'],
      ['null', 'must be object'],
    ] as const) {
      for (const step of ['preview', 'publish']) {
        const page = await person.submit(`${path}/correction`, { json, step, seen, reason: 'x' });
        expect([page.status, page.text.includes(field)], `${step} ${json} ${page.text}`).to.deep.equal([
          400,
          true,
        ]);
        expectUsable(field, page.html);
      }
    }
    const secret = `svc_${'a'.repeat(42)}A`;
    const leaky = JSON.stringify({ ...valid, news_event: { ...news_event, headline: secret } });
    const leaked = await person.submit(`${path}/correction`, { json: leaky, step: 'preview' });
    expect([leaked.status, leaked.html.includes(secret)]).to.deep.equal([400, false]);
    expect(leaked.text).to.include('must not contain an API key');
    const long_context = 'A long text. '.repeat(400);
    const long = JSON.stringify({ ...valid, news_event: { ...news_event, long_context } });
    const shown = await person.submit(`${path}/correction`, { json: long, step: 'preview' });
    expect([shown.status, shown.text.includes('long_context')]).to.deep.equal([200, true]);
    const silent = { json: JSON.stringify(valid), step: 'publish', seen, reason: '' };
    const page = await person.submit(`${path}/correction`, silent);
    expect([page.status, page.text.includes('Reason must have')]).to.deep.equal([400, true]);
    expect((await person.post(`${path}/correction`, { ...silent, reason: 'x' })).status).to.equal(403);
    expect((await person.open('/operator/items/ne_nobody/correction')).status).to.equal(404);
    expect([await stored(id), await ordersOf(id)]).to.deep.equal([before, []]);
  });
});
