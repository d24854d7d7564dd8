import { expect } from 'chai';
import { keyHolder, requestNews } from '../../../support/service/composed.js';
import { signedInHolder, visitorOf } from '../../../support/service/visitor.js';

describe('The usage page', () => {
  const { service, visitor } = signedInHolder();

  it('shows requests by key, hour, day and status, and the age of the newest feed item', async () => {
    const mine = await keyHolder(service());
    const own = await visitorOf(service(), mine.account);
    for (const _ of [1, 2]) await requestNews(service(), mine.value);
    await requestNews(service(), mine.value, {}, '?limit=0');
    await service().line(({ key_id, status }) => key_id === mine.key.id && status === 400);
    const page = await own.open('/dashboard/usage');
    expect(page.text).to.include('Last 24 hours 3 requests in total.').and.include('The feed is empty');
    expect(page.text).to.include('03-01 12:00 2 0 1 0 3').and.include('2026-03-01 2 0 1 0 3');
    expect(page.text).to.include(`${mine.key.prefix}… 2 0 1 0 3`);
    const other = await own.open('/dashboard/usage?key=key_of_nobody');
    expect(other.text).to.include('03-01 12:00 2 0 1 0 3');
    expect((await own.open(`/dashboard/usage?key=${mine.key.id}`)).html).to.include('selected');
    expect((await visitor().open('/dashboard/usage')).text).to.include('12:00 0 0 0 0 0');
  });
});
