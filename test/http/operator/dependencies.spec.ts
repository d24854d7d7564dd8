import { expect } from 'chai';
import { expectUsable } from '../../support/browser/usable-page.js';
import { type Composed, composed, keyHolder, START } from '../../support/service/composed.js';
import { operatorOf } from '../../support/service/visitor.js';

describe('The dependencies on the home page of the operator console', () => {
  let service: Composed;
  let isRedisUp = true;
  before(async () => {
    service = await composed(
      { STRIPE_WEBHOOK_SECRET: 'whsec_of_the_tests', SMTP_URL: 'smtp://127.0.0.1:1' },
      (_, { reporting }) => {
        reporting(() => ({
          dependency: 'Redis',
          state: isRedisUp ? 'up' : 'degraded',
          text: 'limits are local',
        }));
        return {};
      },
    );
  });
  after(() => service.stop());

  const dependencies = async () => {
    const { text, html } = await (await operatorOf(service)).open('/operator');
    expectUsable('/operator', html);
    return text.slice(text.indexOf('Dependencies'), text.indexOf('Recent accounts'));
  };

  it('are those of /readyz, with the text that explains their state', async () => {
    expect(await dependencies()).to.include('Redis Up Limits are local');
    isRedisUp = false;
    expect(await dependencies()).to.include('Redis Degraded Limits are local');
    for (const { dependency } of service.parts.dependencyStates())
      expect((await dependencies()).toLowerCase()).to.include(dependency.toLowerCase());
  });

  it('have the last payment event, and whether some failed', async () => {
    expect(await dependencies()).to.include('Payment webhooks Up Last event received: none yet.');
    await service.parts.paymentEvents.receive({
      ...{ id: 'evt_1', type: 'invoice.payment_failed', at: START, customer: null, link: null },
      ...{ fact: null, fault: 'it has no customer', payload: Buffer.from('{}') },
    });
    expect(await dependencies()).to.match(
      /Payment webhooks Degraded Last event received: 0 seconds ago\. Some events failed/,
    );
  });

  it('have what became of the last email that this instance tried to send', async () => {
    expect(await dependencies()).to.include('Email Up This instance has sent no email to an account yet');
    const { account } = await keyHolder(service);
    const notice = { to: 'ada@example.org', occasion: 'end', news: { kind: 'canceled' } } as const;
    await service.parts.outbox.queue(account, notice, START);
    await service.parts.sendNotices();
    expect(await dependencies()).to.include(
      'Email Degraded The last email of this instance could not be sent, and is tried again: 0 seconds ago',
    );
  });

  it('are off without a payment processor and a mail server', async () => {
    const bare = await composed({});
    try {
      const { text } = await (await operatorOf(bare)).open('/operator');
      expect(text)
        .to.include('Payment webhooks Off No payment processor')
        .and.include('Email Off No mail server');
    } finally {
      await bare.stop();
    }
  });
});
