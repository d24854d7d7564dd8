import { expect } from 'chai';
import { Metrics } from '../../../src/adapters/system/metrics/metrics.js';
import type { AccountId } from '../../../src/domain/accounts/account.js';
import type { SubscriptionId } from '../../../src/domain/billing/subscription.js';
import type { KeyId } from '../../../src/domain/keys/api-key.js';
import type { Limit } from '../../../src/domain/limits/rate-limit.js';
import { refuse } from '../../../src/domain/refusal.js';
import { until } from '../../support/until.js';

const LABELS = { listener: 'public', method: 'GET', route: '/pm/v2/news', status: 200 };

describe('The metrics', () => {
  it('count requests and their durations by route and status', async () => {
    const metrics = new Metrics();
    metrics.request(LABELS, 0.004);
    metrics.request(LABELS, 0.5);
    metrics.request({ ...LABELS, status: 404, route: 'none' }, 0.001);

    const lines = (await metrics.text()).split('\n');
    const of = (name: string) =>
      lines.filter((line) => line.startsWith(`http_server_request_duration_seconds_${name}`));

    expect(of('count').map((line) => line.split(' ').at(-1))).to.have.members(['2', '1']);
    expect(of('sum').map((line) => Number(line.split(' ').at(-1)))).to.have.members([0.504, 0.001]);
    expect(of('bucket').find((line) => /le="0\.005".*status="200"/.test(line))).to.match(/ 1$/);
    for (const label of ['listener="public"', 'method="GET"', 'route="/pm/v2/news"', 'status="200"']) {
      expect(of('count').some((line) => line.includes(label))).to.equal(true);
    }
  });

  it('include those of the process, in the format of Prometheus', async () => {
    const metrics = new Metrics();
    expect(metrics.contentType).to.match(/^text\/plain; version=0\.0\.4/);
    expect(await metrics.text())
      .to.include('nodejs_eventloop_lag_seconds')
      .and.include('# TYPE ');
  });

  it('of two services in one process are separate', async () => {
    const [one, other] = [new Metrics(), new Metrics()];
    one.request(LABELS, 1);
    expect(await other.text()).not.to.include('route="/pm/v2/news"');
  });

  it('have no sample of a key, an account or a subscription, and count each refusal once', async () => {
    const metrics = new Metrics();
    const limits: readonly Limit[] = [];
    const refused = {
      admitted: false,
      key: 'key_1' as KeyId,
      limits,
      refusal: refuse('key_revoked'),
    } as const;
    metrics.gateway.note({ ...refused, plan: 'pro' });
    metrics.gateway.note({ ...refused, plan: null, refusal: refuse('key_missing') });
    metrics.gateway.note('overloaded');
    const names = (text: string) =>
      text.split('\n').filter((line) => /^oddswire_refusals_total\{/.test(line));
    const expected = [
      'oddswire_refusals_total{code="key_revoked",plan="pro"} 1',
      'oddswire_refusals_total{code="key_missing",plan="none"} 1',
      'oddswire_refusals_total{code="overloaded",plan="none"} 1',
    ];
    const text = await metrics.text();
    expect(names(text)).to.have.members(expected);
    expect(names(await metrics.text())).to.have.members(expected);
    expect(text).not.to.include('key_1');
  });

  it('read keys and subscriptions in the background, at most once a minute', async () => {
    const metrics = new Metrics();
    let reads = 0;
    const account = 'acc_1' as AccountId;
    metrics.accounts.observe({
      count: async (after) => {
        reads += 1;
        const subscriptions = [{ plan: 'pro', state: 'paused', count: 1 }] as const;
        return {
          keys: [{ state: 'active', count: 1 }],
          subscriptions,
          last: after === null ? account : null,
        };
      },
    });
    await until(true, async () => (await metrics.text()).includes('oddswire_keys{state="active"} 2'));
    const text = await metrics.text();
    expect(text).to.include('oddswire_subscriptions{plan="pro",state="paused"} 2');
    await metrics.text();
    expect(reads).to.equal(2);
  });

  it('measure the used share of the day quota for some of the requests', async () => {
    const metrics = new Metrics();
    const day = {
      policy: { name: 'day', quota: 1_000, seconds: 86_400 },
      endsAt: 0,
      secondsLeft: 1,
      remaining: 50,
    };
    const ofKey = { ...day, policy: { name: 'key_day', quota: 1, seconds: 86_400 }, remaining: 0 };
    const admission = {
      key: 'key_1' as KeyId,
      subscription: 'sub_1' as SubscriptionId,
      own: null,
      receipt: null,
    };
    for (let n = 0; n < 128; n += 1)
      metrics.gateway.note({ admitted: true, ...admission, plan: 'free', limits: [ofKey, day] });
    const text = await metrics.text();
    expect(text).to.include('oddswire_admitted_requests_total{plan="free"} 128');
    expect(text).to.include('oddswire_day_quota_used_ratio_bucket{le="0.9",plan="free"} 0');
    expect(text).to.include('oddswire_day_quota_used_ratio_bucket{le="0.99",plan="free"} 2');
  });
});
