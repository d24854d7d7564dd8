import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { errorsOf, newPage, violationsOf } from '../support/browser/browser.js';
import { overflowOf } from '../support/browser/overflow.js';
import { publication } from '../support/objects/builders.js';
import { publishAll } from '../support/service/api-calls.js';
import { Client } from '../support/service/client.js';
import { type Service, startService } from '../support/service/running-service.js';

describe('The front page in a browser', () => {
  let service: Service;
  let client: Client;
  let base: string;
  before(async () => {
    service = await startService({ FRONT_PAGE_HEADLINE: 'on' });
    client = await Client.of(service);
    base = service.instances[0]?.url ?? '';
    await publish('one');
  });
  after(() => service.stop());

  const publish = (id: string) => {
    const item = publication({ id: `ne_${id}` });
    return publishAll(client, [{ ...item, news_event: { ...item.news_event, headline: `Headline ${id}` } }]);
  };
  const headline = (page: Page, id: string) =>
    page.locator('#newest .headline', { hasText: `Headline ${id}` });

  it('shows a newer item and its age without being loaded again, but not while details are open', async function () {
    this.timeout(30_000);
    const page = await newPage({ viewport: { width: 1_440, height: 900 } });
    await page.goto(`${base}/`);
    expect(await headline(page, 'one').count()).to.equal(1);
    await publish('two');
    await headline(page, 'two').waitFor();
    const age = await page.locator('#newest time').first().innerText();
    expect(age).to.match(/^\d+ seconds? ago$/);
    await page.locator('#newest time', { hasNotText: age }).waitFor();
    await page.locator('#newest summary').first().click();
    await publish('three');
    await page.waitForResponse(async (response) => (await response.text()).includes('Headline three'));
    expect(await headline(page, 'two').count()).to.equal(1);
    await page.locator('#newest summary').first().click();
    await headline(page, 'three').waitFor();
    expect(await violationsOf(page)).to.deep.equal([]);
    expect(await overflowOf(page, [1_440, 1_024, 375, 320])).to.deep.equal([]);
    expect(await errorsOf(page)).to.deep.equal([]);
  });

  it('shows one program for each way to read, by mouse and by keyboard, without a script', async () => {
    const page = await newPage({ javaScriptEnabled: false });
    await page.goto(`${base}/`);
    const shown = () =>
      page
        .locator('.code-tab:visible')
        .evaluateAll((tabs) => tabs.map((tab) => (tab as { className: string }).className));
    expect(await shown()).to.deep.equal(['code-tab stream']);
    await page.getByText('Poll', { exact: true }).click();
    expect(await shown()).to.deep.equal(['code-tab poll']);
    await page.keyboard.press('ArrowRight');
    expect(await shown()).to.deep.equal(['code-tab mcp']);
  });
});
