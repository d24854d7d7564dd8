import { expect } from 'chai';
import { Metrics } from '../../../src/adapters/system/metrics.js';

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
});
