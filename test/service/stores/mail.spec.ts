import { expect } from 'chai';
import { type MailServer, startMailServer } from '../../support/servers/mail-server.js';
import { freshDatabase } from '../../support/servers/postgres.js';
import { redisUrl, serverUrl } from '../../support/servers/stores.js';
import { actOn, advance, type KeyView, unique } from '../../support/service/api-calls.js';
import { Client } from '../../support/service/client.js';
import { aCustomer } from '../../support/service/processor-customer.js';
import { type Service, startService } from '../../support/service/running-service.js';

/** Notices to account owners through a real mail server, in memory and from two instances. */
function mailSuite(name: string, start: (mail: MailServer) => Promise<Service>): void {
  describe(`Notices to owners, ${name},`, function () {
    this.timeout(30_000);
    let mail: MailServer;
    let service: Service;
    let client: Client;
    before(async () => {
      mail = await startMailServer();
      service = await start(mail);
      client = await Client.of(service);
    });
    after(async () => {
      await service.stop();
      await mail.stop();
    });

    it('report each change of keys and payments once, and never contain the secret of a key', async () => {
      const customer = await aCustomer(client);
      const email = `${customer.customer}@example.org`;
      const invoice = `in_${unique()}`;
      const rotated = (await actOn(client, customer.key.key_id, 'rotate', {})).json as KeyView;
      await actOn(client, customer.key.key_id, 'revoke', { cause: 'rotation' });
      await customer.tells('past_due');
      for (const attempts of [1, 1, 2, 5]) await customer.fails(attempts, invoice);
      await advance(client, 1);
      await customer.pays(invoice);
      await customer.tells('active');
      await actOn(client, rotated.key_id, 'revoke', { cause: 'manual' });
      await mail.arrived(({ to, subject }) => to === email && subject.endsWith('API key revoked'));
      await advance(client, 0);
      const mine = mail.mails.filter(({ to }) => to === email);
      expect(mine.map(({ subject }) => subject).sort()).to.deep.equal(
        [
          'API key created',
          'API key rotation started',
          'API key retired',
          'Payment failed',
          'Payment failed',
          'Your API access is suspended',
          'Your API access is restored',
          'API key revoked',
        ]
          .map((subject) => `Oddswire: ${subject}`)
          .sort(),
      );
      const texts = mine.map(({ text }) => text).join('\n');
      expect(texts).to.include(invoice).and.include('Pay every open invoice');
      expect(texts).not.to.include(customer.key.key).and.not.include(rotated.key);
      expect(texts).to.include(`API key ${rotated.key.slice(0, 12)}… was permanently revoked`);
    });
  });
}

mailSuite('in memory', (mail) => startService(mail.settings));
mailSuite('two instances on Postgres and Redis', async (mail) =>
  startService(
    { ...mail.settings, DATABASE_URL: await freshDatabase(serverUrl()), REDIS_URL: redisUrl() },
    2,
  ),
);

describe('A notice to an owner', () => {
  it('is sent when the mail server returns, and does not delay requests', async () => {
    const first = await startMailServer();
    const service = await startService(first.settings);
    const client = await Client.of(service);
    await first.stop();
    const customer = await aCustomer(client);
    await client.line('an email could not be sent');
    const port = Number(new URL(first.url).port);
    const again = await startMailServer(port);
    await advance(client, 60);
    const [mail] = await again.arrived(({ to }) => to === `${customer.customer}@example.org`);
    expect(mail?.subject).to.equal('Oddswire: API key created');
    await service.stop();
    await again.stop();
  });

  it('is only logged, without the key, if no mail server is configured', async () => {
    const service = await startService();
    const client = await Client.of(service);
    const customer = await aCustomer(client);
    const line = await client.line('an email was not sent: SMTP_URL is not set');
    expect(line).to.include('key_issued').and.include(customer.key.key.slice(0, 12));
    await service.stop();
    expect(client.outputs().join('\n')).not.to.include(customer.key.key);
  });
});
