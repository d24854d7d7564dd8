import { expect } from 'chai';
import { Unavailable } from '../../../src/application/unavailable.js';
import { LAST_MOMENT } from '../../../src/domain/moment.js';
import { expectUsable } from '../../support/browser/usable-page.js';
import { publication } from '../../support/objects/builders.js';
import { ask, bearer } from '../../support/service/composed.js';
import { operatorConsole } from '../../support/service/operator-console.js';

const PATH = '/operator/ingestion';

describe('The page of the ingestion', () => {
  let isSlow = false;
  const { service, holder, operator } = operatorConsole(({ feedPast }) => ({
    feedPast: () => ({
      find: (asOf) => feedPast.find(asOf),
      page: (range, at) => feedPast.page(range, at),
      changes: (reading) => feedPast.changes(reading),
      last: (id) => feedPast.last(id),
      purges: (count) => feedPast.purges(count),
      publishedPerMinute: async (from) => {
        if (isSlow) throw new Unavailable('Postgres', new Error('slow'));
        return feedPast.publishedPerMinute(from);
      },
    }),
  }));
  const send = (...items: readonly unknown[]) =>
    ask(`${service().internalUrl}/internal/v1/news`, {
      method: 'POST',
      headers: { ...bearer(service().parts.tokens.publisher), 'Content-Type': 'application/json' },
      body: JSON.stringify(items),
    });

  it('shows that nothing was sent yet', async () => {
    const page = await (await operator()).open(PATH);
    expect(page.text).to.include('Newest item None').and.include('No item was sent.');
    expect(page.text).to.include('None on this instance since it started.');
    expectUsable('no ingestion', page.html);
  });

  it('counts what is published, unchanged and rejected, with the field and the fault of each rejection', async () => {
    // The history in memory began at the time of the machine, and changes are never known before.
    const { start } = await service().parts.feedPast.find({ by: 'time', time: LAST_MOMENT });
    service().clock.at = start.knownAt;
    const minute = start.knownAt.slice(11, 16);
    const item = publication({ id: 'ne_sent' });
    await send(item, { ...publication({ id: 'ne_<b>' }), color: 1 });
    await send(item, { ...publication({ id: holder().value }), [holder().value]: 1, x: 2 });
    const page = await (await operator()).open(PATH);
    expect(page.text).to.include('Published, last hour 1').and.include('Rejected here, last hour 2');
    expect(page.text).to.include('Changes behind, this instance 0').and.include(`${minute} 1 1 2`);
    expect(page.text).to.include('ne_<b> /color is not a field of this object, and 1 more Publisher token');
    expect(page.html).not.to.include(holder().value).and.not.include('<b>');
    expectUsable('ingestion', page.html);
  });

  it('is shown without the published items while they cannot be counted in time', async () => {
    isSlow = true;
    const page = await (await operator()).open(PATH);
    isSlow = false;
    expect([page.status, page.text.includes('Published, last hour Unknown')]).to.deep.equal([200, true]);
  });
});
