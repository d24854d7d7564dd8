import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { expect } from 'chai';
import { readStream } from '../../support/live/stream-reader.js';
import { stripeEvent } from '../../support/objects/stripe-objects.js';
import { alertTimeline, type Expected, type Growth } from '../../support/ops/alert-timeline.js';
import {
  type AlertedService,
  STREAMS_MAX,
  startAlertedService,
  up,
  WRITABLE,
} from '../../support/ops/alerted-service.js';
import { ALERTS, documentedMetrics, namedMetrics, RULES } from '../../support/ops/files.js';
import { promtoolWith } from '../../support/ops/promtool.js';
import { metricOf, type Scrape, sampleOf, scrape } from '../../support/ops/scrape.js';
import { startMailServer } from '../../support/servers/mail-server.js';
import { StripeStub } from '../../support/servers/stripe-stub.js';
import { administer, WRITE_FAULTS } from '../../support/servers/write-faults.js';
import { advance, aKey, unique } from '../../support/service/api-calls.js';
import { send } from '../../support/service/client.js';
import { seconds } from '../../support/service/processor-customer.js';
import {
  type Instance,
  killed,
  launchInstance,
  launchWithOpenFiles,
} from '../../support/service/running-service.js';
import { setClock } from '../../support/service/set-clock.js';

const READ_ONLY = WRITE_FAULTS['while every session is read-only'] ?? expect.fail('there is this fault');
const RECONCILED = 'oddswire_reconciled_timestamp_seconds';
/** Enough to load the modules, and few enough to use up. */
const OPEN_FILES_MAX = 600;

/**
 * Each test makes the cause of an alert on a running service. promtool gets the values of `/metrics` before and during the
 * cause: no alert fires before, and the alert of this cause fires during it.
 */
describe('The alert', function () {
  this.timeout(60_000);
  const fired = new Set<string>();
  const seen = new Set<string>();
  let on: AlertedService;
  let healthy: Scrape;
  /** It tries again after 30 s, while other tests run. */
  let unreconciled: { readonly instance: Instance; readonly stripe: StripeStub; readonly first: Scrape };
  before(async () => {
    const stripe = await StripeStub.start();
    stripe.failing = 500;
    const settings = { STRIPE_API_KEY: 'sk_test_of_the_tests', STRIPE_API_URL: stripe.url };
    const instance = await launchInstance(settings).listening;
    await instance.line('payments could not be reconciled');
    unreconciled = { instance, stripe, first: await scrape(instance.internalUrl) };
    on = await startAlertedService();
  });
  after(async () => {
    await unreconciled.instance.stop();
    await unreconciled.stripe.stop();
    await on.stop();
  });

  const fires = (expected: readonly Expected[], during: Scrape, growth: Growth, before = healthy) => {
    promtoolWith(['test', 'rules'], alertTimeline(RULES, { before, during, growth }, expected));
    for (const { alert } of expected) fired.add(alert);
    for (const { values } of [before, during]) for (const series of values.keys()) seen.add(metricOf(series));
  };

  describe('of a running instance', () => {
    beforeEach(async () => {
      healthy = await on.healthy();
    });

    it('FeedSilent fires two hours after the last publication', async () => {
      await advance(on.client, 7_200);
      fires([{ alert: 'FeedSilent', firesAfter: 11 }], await on.scrape(), 'once');
    });

    it('PaymentEventsFailed fires for a checkout with a reference that the service did not sign', async () => {
      const now = await seconds(on.client);
      const session = {
        id: `cs_${unique()}`,
        object: 'checkout.session',
        customer: `cus_${unique()}`,
        created: now,
      };
      const event = stripeEvent(
        'checkout.session.completed',
        { ...session, client_reference_id: on.account },
        now,
      );
      expect((await on.client.deliver(event)).json).to.deep.equal({ state: 'failed' });
      fires([{ alert: 'PaymentEventsFailed', firesAfter: 2 }], await on.scrape(), 'once');
    });

    it('EmailsNotDelivered fires when the mail server is away', async () => {
      const { port } = new URL(on.mail.server.url);
      await on.mail.server.stop();
      await aKey(on.client);
      const putBack = 'oddswire_notices_total{how="put back"';
      const during = await on.scrapeWhen((value) => value(putBack) > sampleOf(healthy, putBack));
      fires([{ alert: 'EmailsNotDelivered', firesAfter: 7 }], during, 'once');
      on.mail.server = await startMailServer(Number(port));
      await advance(on.client, 60);
    });

    it('PaymentsNotReconciled fires when the payment processor does not answer', async () => {
      await advance(on.client, 16 * 60);
      const later = await on.scrape();
      expect(sampleOf(later, RECONCILED)).to.be.above(sampleOf(healthy, RECONCILED));
      on.stripe.failing = 500;
      await advance(on.client, 16 * 60);
      const during = await on.scrape();
      expect(sampleOf(during, RECONCILED)).to.equal(sampleOf(later, RECONCILED));
      on.stripe.failing = null;
      fires([{ alert: 'PaymentsNotReconciled', firesAfter: 36 }], during, 'once', later);
    });

    it('CapacityNearLimit fires when nearly all streams are open', async () => {
      const opened = await Promise.all(
        Array.from({ length: STREAMS_MAX }, () => readStream(on.instance.url, on.key)),
      );
      const during = await on.scrapeWhen((value) => value('oddswire_streams_open') === STREAMS_MAX);
      for (const { close } of opened) close();
      fires([{ alert: 'CapacityNearLimit', firesAfter: 6 }], during, 'once');
    });

    it('Overloaded fires while clients ask for more documents than the process answers', async () => {
      const port = Number(new URL(on.instance.url).port);
      const clients = Array.from({ length: 100 }, () =>
        connect({ port, host: '127.0.0.1' }).on('error', () => {}),
      );
      // HEAD, and many in one write: the client needs less time than the process, however slow the machine is.
      const requests = 'HEAD /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(20);
      const sending = setInterval(() => {
        for (const client of clients) if (client.resume().writableLength === 0) client.write(requests);
      }, 50);
      try {
        const refused = 'oddswire_overload_refusals_total{priority="stranger"';
        const during = await on.scrapeWhen((value) => value(refused) > 100);
        fires([{ alert: 'Overloaded', firesAfter: 4 }], during, 'continues');
      } finally {
        clearInterval(sending);
        for (const client of clients) client.destroy();
      }
    });

    it('Overloaded also fires when the process gets no processor for ten minutes', async () => {
      // Node measures intervals: the first one after a scrape is not measured.
      await setTimeout(100);
      on.instance.process.kill('SIGSTOP');
      await setTimeout(1_000);
      on.instance.process.kill('SIGCONT');
      fires([{ alert: 'Overloaded', firesAfter: 11 }], await on.scrape(), 'once');
    });

    it('CopiesTooOld fires when the change logs cannot be read, and Postgres answers', async () => {
      await administer(on.postgres.url, ['alter table account_change rename to account_change_away']);
      const during = await on.scrapeWhen((value) => value('oddswire_change_logs_age_seconds') > 5);
      await administer(on.postgres.url, ['alter table account_change_away rename to account_change']);
      fires([{ alert: 'CopiesTooOld', firesAfter: 3 }], during, 'once');
    });

    it('PostgresRefusesWrites fires when Postgres is read-only', async () => {
      await administer(on.postgres.url, READ_ONLY.begin);
      const during = await on.scrapeWhen((value) => value(WRITABLE) === 0);
      await administer(on.postgres.url, READ_ONLY.end);
      fires([{ alert: 'PostgresRefusesWrites', firesAfter: 2 }], during, 'once');
    });

    it('RedisUnavailable fires when Redis is frozen', async () => {
      await on.redis.freeze();
      const during = await on.scrapeWhen((value) => value(up('Redis')) === 0);
      await on.redis.thaw();
      fires([{ alert: 'RedisUnavailable', firesAfter: 3 }], during, 'once');
    });

    it('PostgresUnavailable fires when Postgres is frozen, and ServerErrors for the requests that need it', async () => {
      await on.postgres.freeze();
      await on.scrapeWhen((value) => value(up('Postgres')) === 0);
      const statuses: number[] = [];
      for (let n = 0; n < 10; n += 1) {
        const key = `svc_${randomBytes(32).toString('base64url')}`;
        statuses.push((await on.client.news(key)).status);
      }
      expect(statuses).to.include(503);
      const during = await on.scrape();
      await on.postgres.thaw();
      const expected = [
        { alert: 'PostgresUnavailable', firesAfter: 2 },
        { alert: 'ServerErrors', firesAfter: 8 },
      ];
      fires(expected, during, 'continues');
    });

    it('ClockWrong fires when the clock of the machine is behind that of Postgres', async () => {
      const clock = setClock();
      const settings = { DATABASE_URL: on.postgres.url, ...clock.settings };
      const { internalUrl, stop } = await launchInstance(settings).listening;
      const scrapeWhen = async (metric: string, below: number) => {
        let last = await scrape(internalUrl);
        while (!(sampleOf(last, metric) < below)) last = await scrape(internalUrl);
        return last;
      };
      const before = await scrapeWhen('nodejs_eventloop_lag_p99_seconds', 0.1);
      clock.ahead(-3);
      const during = await scrapeWhen('oddswire_clock_offset_seconds', -2);
      await stop();
      clock.remove();
      fires([{ alert: 'ClockWrong', firesAfter: 6 }], during, 'once', before);
    });

    it('ReplicaUnavailable fires when the replica is away', async () => {
      await on.replica.stop();
      const during = await on.scrapeWhen((value) => value(up('replica')) === 0);
      fires([{ alert: 'ReplicaUnavailable', firesAfter: 6 }], during, 'once');
    });
  });

  describe('of other instances', () => {
    it('CapacityNearLimit fires when nearly all files are open', async () => {
      const instance = await launchWithOpenFiles(OPEN_FILES_MAX).listening;
      const before = await scrape(instance.internalUrl);
      const used = sampleOf(before, 'process_open_fds');
      const { port } = new URL(instance.url);
      const sockets = Array.from({ length: OPEN_FILES_MAX - 10 - used }, () =>
        connect(Number(port), '127.0.0.1'),
      );
      await Promise.all(sockets.map((socket) => once(socket, 'connect')));
      let during = before;
      while (sampleOf(during, 'process_open_fds') < 0.9 * OPEN_FILES_MAX)
        during = await scrape(instance.internalUrl);
      for (const socket of sockets) socket.destroy();
      await instance.stop();
      fires([{ alert: 'CapacityNearLimit', firesAfter: 6 }], during, 'once', before);
    });

    it('PaymentsNotReconciled also fires for an instance that has never reconciled', async () => {
      const { instance, first } = unreconciled;
      const failures = 'oddswire_reconciliation_failures_total';
      let during = first;
      while (sampleOf(during, failures) <= sampleOf(first, failures)) {
        await setTimeout(100);
        during = await scrape(instance.internalUrl);
      }
      expect(sampleOf(during, RECONCILED)).to.be.NaN;
      fires([{ alert: 'PaymentsNotReconciled', firesAfter: 7 }], during, 'continues', first);
    });

    it('InstanceDown fires when the process is killed, and InstanceNotReady while it waits for Postgres', async () => {
      await killed(on.instance);
      const during = await on.scrape();
      expect(sampleOf(during, 'up')).to.equal(0);
      fires([{ alert: 'InstanceDown', firesAfter: 2 }], during, 'once');
      await on.postgres.freeze();
      const waiting = launchInstance(on.settings);
      await waiting.line('waiting for Postgres');
      const notReady = await on.scrape();
      expect((await send(`${on.instance.internalUrl}/readyz`, {})).status).to.equal(503);
      await waiting.stop();
      await on.postgres.thaw();
      fires([{ alert: 'InstanceNotReady', firesAfter: 6 }], notReady, 'once');
    });
  });

  describe('of all instances', () => {
    it('of every rule has fired in one of these tests', () => {
      expect([...fired].sort()).to.deep.equal(ALERTS.map(({ name }) => name).sort());
    });

    it('and the table of docs/operations.md are about all metrics of the service, and no others', () => {
      const own = [...healthy.types.keys()].filter((name) => name.startsWith('oddswire_'));
      expect(documentedMetrics()).to.have.members(own);
    });

    it('and every query of the dashboard name only metrics that a scrape has', () => {
      expect(namedMetrics().length).to.be.greaterThan(20);
      expect(namedMetrics().filter((name) => !seen.has(name))).to.deep.equal([]);
    });
  });
});
