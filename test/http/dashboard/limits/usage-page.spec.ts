import { expect } from 'chai';
import { keyHolder, publish, requestNews } from '../../../support/service/composed.js';
import { signedInHolder, visitorOf } from '../../../support/service/visitor.js';

describe('The usage page', () => {
  const { service, visitor } = signedInHolder();

  it('shows requests by key, hour, day and status', async () => {
    const mine = await keyHolder(service());
    const own = await visitorOf(service(), mine.account);
    for (const _ of [1, 2]) await requestNews(service(), mine.value);
    await requestNews(service(), mine.value, {}, '?limit=0');
    await service().line(({ key_id, status }) => key_id === mine.key.id && status === 400);
    const page = await own.open('/dashboard/usage');
    expect(page.text).to.include('Last 24 hours 3 requests in total.');
    expect(page.text).to.include('03-01 12:00 2 0 1 0 3').and.include('2026-03-01 2 0 1 0 3');
    expect(page.text).to.include(`${mine.key.prefix}… 2 0 1 0 3`);
    const other = await own.open('/dashboard/usage?key=key_of_nobody');
    expect(other.text).to.include('03-01 12:00 2 0 1 0 3');
    expect(other.html).not.to.match(/<option value="key_[^>]*selected/);
    const chosen = await own.open(`/dashboard/usage?key=${mine.key.id}`);
    expect(chosen.html).to.match(new RegExp(`<option value="${mine.key.id}"[^>]*selected`));
    expect((await visitor().open('/dashboard/usage')).text).to.include('12:00 0 0 0 0 0');
  });

  it('shows the age of the newest item of the feed, once there is one', async () => {
    const shown = async () => (await visitor().open('/dashboard/usage')).text;
    expect(await shown()).to.include('The feed is empty or cannot be read now.');
    await publish(service(), 'ne_1');
    expect(await shown()).to.match(/Newest feed item: 2 hours ago \( ?1 March 2026, 10:00 UTC/);
  });
});
