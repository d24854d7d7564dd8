import { expect } from 'chai';
import { NOON } from '../../support/objects/builders.js';
import { operatorConsole } from '../../support/service/operator-console.js';

const PATH = '/operator/purges';

describe('The operator console', () => {
  const { service, operator } = operatorConsole();
  const published = async (id: string) => {
    const item = { id, scoredAt: NOON, subMarketIds: [], json: Buffer.from('{}') };
    await service().parts.feed.publish([item], 'live');
  };
  const isLive = async (id: string) => {
    const { items } = await service().parts.feed.page({
      ...{ before: null, since: null, newsId: id, marketId: null },
      ...{ terms: [], count: 1 },
    });
    return items.length === 1;
  };

  it('purges an item by its id, and lists who did it and why (D62)', async () => {
    await published('ne_console');
    const person = await operator();
    expect((await person.open(PATH)).text).to.include('None.');
    const sent = { id: ' ne_console ', reason: 'an order of the court', sure: 'yes' };
    const page = await person.submit(PATH, sent);
    expect(page.text).to.include('No version of the item has its text any more.');
    expect(page.text).to.include('ne_console').and.include('an order of the court').and.include('operator');
    expect(await isLive('ne_console')).to.equal(false);
    const [first] = await service().parts.feedPast.purges(1);
    expect([first?.id, first?.actor]).to.deep.equal(['ne_console', 'operator']);
  });

  it('purges nothing without a confirmation, a reason, or an id that is known (D62)', async () => {
    await published('ne_kept');
    const person = await operator();
    await person.open(PATH);
    const [id, reason, sure] = ['ne_kept', 'a reason <b>', 'yes'];
    const refused = async (form: Record<string, string>) => {
      const page = await person.submit(PATH, form);
      expect(page.html).to.include('role="alert"').and.not.include('<b>');
      return page;
    };
    const unsure = await refused({ id, reason });
    expect([unsure.status, unsure.text.includes('Confirm')]).to.deep.equal([400, true]);
    expect((await refused({ id, reason: ' ', sure })).status).to.equal(400);
    const unknown = await refused({ id: 'ne_nobody', reason, sure });
    expect([unknown.status, unknown.text.includes('no item with this id')]).to.deep.equal([404, true]);
    expect(unknown.html).to.include('value="ne_nobody"').and.include('a reason &lt;b>');
    expect(await isLive('ne_kept')).to.equal(true);
  });
});
