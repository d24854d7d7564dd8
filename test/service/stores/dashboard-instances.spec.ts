import { expect } from 'chai';
import { type MailServer, startMailServer } from '../../support/servers/mail-server.js';
import { freshDatabase } from '../../support/servers/postgres.js';
import { redisUrl, serverUrl } from '../../support/servers/stores.js';
import { type Service, startService } from '../../support/service/running-service.js';
import { Visitor } from '../../support/service/visitor.js';
import { until } from '../../support/until.js';

const SECRETS_KEY = Buffer.alloc(32, 7).toString('base64');

describe('The dashboard on two instances over Postgres and Redis', function () {
  this.timeout(30_000);
  let mail: MailServer;
  let service: Service;
  before(async () => {
    mail = await startMailServer();
    service = await startService(
      {
        ...mail.settings,
        ...{ DATABASE_URL: await freshDatabase(serverUrl()), REDIS_URL: redisUrl() },
        SECRETS_KEY,
      },
      2,
    );
  });
  after(async () => {
    await service.stop();
    await mail.stop();
  });

  it('shares destinations, and the links in their emails, between the instances', async () => {
    const [one = '', other = ''] = service.instances.map(({ url }) => url);
    const linkTo = async (address: string) => {
      const [email] = await mail.arrived(({ to }) => to === address);
      return /http:\/\/[^/]+(\/\S+)/.exec(email?.text ?? '')?.[1] ?? '';
    };
    const person = new Visitor(one);
    await person.submit('/dashboard/sign-in', { email: 'owner@example.org' });
    await person.open(await linkTo('owner@example.org'));
    const page = await person.open('/dashboard/destinations');
    expect(page.text).to.include('0 of 1 destination on the Free plan.');
    const fields = { label: 'Desk', kind: 'email', address: 'reader@example.org', filter: 'q=rain' };
    const made = await person.submit('/dashboard/destinations', { ...fields, seen: person.seen });
    expect(made.status).to.equal(201);
    person.useInstance(other);
    const list = await person.open('/dashboard/destinations');
    expect(list.text).to.include('reader@example.org q: rain Waiting for confirmation');
    const confirm = await linkTo('reader@example.org');
    expect((await fetch(`${other}${confirm}`, { method: 'POST' })).status).to.equal(200);
    person.useInstance(one);
    expect((await person.open('/dashboard/destinations')).text).to.include('q: rain Active');
    const operator = new Visitor(other);
    await operator.submit('/operator/sign-in', { token: service.tokens.operator });
    expect((await operator.open('/operator/destinations')).text).to.include('Desk');
    const output = service.instances.flatMap((instance) => instance.output).join('\n');
    expect(output).not.to.include(new URLSearchParams(confirm.split('?')[1]).get('token'));
  });

  it('shares the controls of a key: they are in force on both, and its limit counts the requests of both (D72)', async () => {
    const [one = '', other = ''] = service.instances.map(({ url }) => url);
    const person = new Visitor(one);
    await person.submit('/dashboard/sign-in', { email: 'controls@example.org' });
    const [email] = await mail.arrived(({ to }) => to === 'controls@example.org');
    const [, link = ''] = /http:\/\/[^/]+(\/\S+)/.exec(email?.text ?? '') ?? [];
    await person.open(link);
    const made = await person.submit('/dashboard/keys', { label: 'ci', seen: person.seen });
    const [key = ''] = /svc_[\w-]{43}/.exec(made.html) ?? [];
    const [, path = ''] =
      /href="(\/dashboard\/keys\/[^"/]+)"/.exec((await person.open('/dashboard/keys')).html) ?? [];
    const status = async (url: string) =>
      (await fetch(`${url}/pm/v2/key`, { headers: { Authorization: `Bearer ${key}` } })).status;
    const news = async (url: string) =>
      (await fetch(`${url}/pm/v2/news?limit=1`, { headers: { Authorization: `Bearer ${key}` } })).status;
    expect([await status(one), await status(other)]).to.deep.equal([200, 200]);
    await person.open(path);
    await person.submit(path, { addresses: '203.0.113.0/24', seen: person.seen });
    expect(await status(one)).to.equal(403);
    await until(403, () => status(other));
    await person.submit(path, { addresses: '', per_day: '5', seen: person.seen });
    expect(await status(one)).to.equal(200);
    await until(200, () => status(other));
    const answers = [];
    for (const url of [one, other, one, other, one, other, one]) answers.push(await news(url));
    expect(answers).to.deep.equal([200, 200, 200, 200, 200, 429, 429]);
  });

  it('shares sign-in links, sessions, keys and sign-outs between the instances', async () => {
    const [one, other] = service.instances.map(({ url }) => url);
    const person = new Visitor(one ?? '');
    await person.submit('/dashboard/sign-in', { email: 'two@example.org' });
    const [email] = await mail.arrived(({ to }) => to === 'two@example.org');
    const [, path = ''] = /http:\/\/[^/]+(\/\S+)/.exec(email?.text ?? '') ?? [];
    person.useInstance(other ?? '');
    expect((await person.open(path)).text).to.include('You have no keys yet');
    const made = await person.submit('/dashboard/keys', { label: '', seen: person.seen });
    const [key = ''] = /svc_[\w-]{43}/.exec(made.html) ?? [];
    for (const url of [one, other]) {
      const answer = await fetch(`${url}/pm/v2/news`, { headers: { Authorization: `Bearer ${key}` } });
      expect(answer.status).to.equal(200);
    }
    person.useInstance(one ?? '');
    const page = await person.open('/dashboard/keys');
    expect(page.text)
      .to.include(key.slice(0, 12))
      .and.match(/seconds? ago [12] <1% Rotate/);
    const cookies = new Map(person.cookies);
    await person.submit('/dashboard/sign-out');
    const old = new Visitor(other ?? '');
    for (const [name, value] of cookies) old.cookies.set(name, value);
    expect((await old.openOnce('/dashboard/keys')).status).to.equal(303);
    const output = service.instances.flatMap((instance) => instance.output).join('\n');
    expect(output).not.to.include(key.slice(12)).and.not.include(path);
  });
});
