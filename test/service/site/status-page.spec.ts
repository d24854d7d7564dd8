import { expect } from 'chai';
import { publication } from '../../support/objects/builders.js';
import { publishAll } from '../../support/service/api-calls.js';
import { Client, send } from '../../support/service/client.js';
import { type Service, startService } from '../../support/service/running-service.js';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

describe('The page at /status', () => {
  let service: Service;
  before(async () => {
    service = await startService({ SUPPORT_CONTACT: 'mailto:help@example.com' });
  });
  after(() => service.stop());

  const ask = (accept: string | undefined) =>
    send(`${service.instances[0]?.url}/status`, { headers: accept === undefined ? {} : { Accept: accept } });

  it('is for browsers only: everyone else gets JSON, and caches are told that the answer depends on Accept', async () => {
    for (const accept of [
      undefined,
      '*/*',
      'application/json',
      'application/json, text/html',
      'text/plain',
    ]) {
      const { status, headers, text } = await ask(accept);
      expect([status, headers['content-type']], accept).to.deep.equal([
        200,
        'application/json; charset=utf-8',
      ]);
      expect(JSON.parse(text)).to.have.keys('status', 'feed', 'streams', 'parts');
      expect(headers['vary']).to.include('Accept');
      expect(headers['cache-control']).to.equal('no-store');
    }
    const page = await ask(BROWSER);
    expect([page.status, page.headers['content-type']]).to.deep.equal([200, 'text/html; charset=utf-8']);
    expect(page.headers['content-security-policy']).to.include("default-src 'none'");
    expect(page.headers['vary']).to.include('Accept');
    expect(page.headers['cache-control']).to.equal('no-store');
  });

  it('says what the JSON says', async () => {
    expect((await ask(BROWSER)).text)
      .to.include('None yet')
      .and.include('help@example.com');
    await publishAll(await Client.of(service), [publication({ id: 'ne_status' })]);
    const json = JSON.parse((await ask('application/json')).text);
    const { text } = await ask(BROWSER);
    expect(text).to.include(`datetime="${json.feed.head}"`).and.include(json.feed.position);
    expect(text).to.match(/\d+ s old/);
    expect(json.parts).not.to.have.length(0);
    for (const { part } of json.parts) expect(text.toLowerCase()).to.include(`<th scope="row">${part}</th>`);
    expect(text.match(/>Up<\/span>/g)).to.have.length(json.parts.length + 1);
  });
});
