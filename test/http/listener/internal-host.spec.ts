import { expect } from 'chai';
import { ask, bearer, type Composed, composed } from '../../support/service/composed.js';
import { rawSocket } from './raw-socket.js';

const OPERATOR = bearer('operator-token-of-the-tests');

describe('The Host of a request to the internal listener', () => {
  let service: Composed;
  before(async () => {
    service = await composed({ INTERNAL_HOSTS: 'oddswire,Door.example.com' });
  });
  after(() => service.stop());

  const statusOf = async (path: string, Host: string) =>
    (await ask(`${service.internalUrl}${path}`, { headers: { ...OPERATOR, Host } })).status;

  for (const host of [
    '127.0.0.1',
    '127.0.0.1:8081',
    '10.1.2.3',
    '[::1]',
    '[::1]:8081',
    '[fe80::1%eth0]:8081',
    'localhost',
    'LocalHost:8081',
    'localhost.',
    'oddswire:8081',
    'door.example.com',
    'DOOR.example.com.:443',
  ]) {
    it(`may be ${host}`, async () => {
      expect(await statusOf('/livez', host)).to.equal(200);
      expect(await statusOf('/internal/v1/keys/none', host)).to.equal(404);
    });
  }

  for (const host of [
    'evil.example',
    'evil.example:8081',
    'localhost.evil.example',
    'oddswire.evil.example',
    '127.0.0.1.evil.example',
    '127.1',
    '2130706433',
    '[evil.example]',
    '[::1].evil.example',
    '::1',
    'user@localhost',
    ':8081',
  ]) {
    it(`is refused if it is “${host}”: a page of that name could read the response by DNS rebinding`, async () => {
      for (const path of ['/livez', '/readyz', '/metrics', '/internal/v1/keys/none', '/nowhere']) {
        const answer = await ask(`${service.internalUrl}${path}`, { headers: { ...OPERATOR, Host: host } });
        const { code, detail } = answer.json();
        expect([answer.status, code], path).to.deep.equal([400, 'bad_request']);
        expect(detail).to.include('INTERNAL_HOSTS');
        expect(answer.headers.connection).to.equal('close');
      }
    });
  }

  it('is refused if it is empty', async () => {
    const caller = await rawSocket(service.internalPort);
    caller.send('GET /livez HTTP/1.1\r\nHost: \r\n\r\n');
    expect(await caller.all()).to.match(/^HTTP\/1\.1 400 /);
  });

  it('may be missing in HTTP/1.0, which no browser uses', async () => {
    const caller = await rawSocket(service.internalPort);
    caller.send('GET /livez HTTP/1.0\r\n\r\n');
    expect(await caller.all()).to.match(/^HTTP\/1\.1 200 /);
  });

  it('is not checked on the public listener', async () => {
    const { status } = await ask(`${service.url}/status`, { headers: { Host: 'evil.example' } });
    expect(status).to.equal(200);
  });
});
