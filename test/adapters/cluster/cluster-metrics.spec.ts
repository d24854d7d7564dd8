import type { Worker } from 'node:cluster';
import { expect } from 'chai';
import { ClusterMetrics } from '../../../src/adapters/cluster/cluster-metrics.js';
import { Metrics } from '../../../src/adapters/system/metrics/metrics.js';
import { NO_MARK } from '../../../src/domain/feed/position.js';
import { moment } from '../../support/objects/builders.js';

const RECONCILED = 'oddswire_reconciled_timestamp_seconds';
const VERSION = 'oddswire_feed_version';
const HEAD = 'oddswire_feed_head_timestamp_seconds';

describe('The metrics of several workers', () => {
  /** The text of `/metrics` for these workers. */
  async function viewOf(...workers: readonly Metrics[]): Promise<string> {
    const clusterMetrics = new ClusterMetrics();
    const handles = workers.map((_, i) => ({ id: i }) as Worker);
    const text = await clusterMetrics.ofAll(handles, (worker, question) => {
      const metrics = workers[handles.indexOf(worker)];
      void metrics?.json().then((json) => clusterMetrics.receive(worker, question, json));
    });
    return text ?? '';
  }
  const sample = (text: string, name: string) => new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1];

  it('omit a gauge for which no worker has a value', async () => {
    const text = await viewOf(new Metrics(), new Metrics());
    for (const name of [RECONCILED, VERSION, HEAD]) expect(sample(text, name), name).to.equal(undefined);
  });

  it('have the value of the only worker that has one', async () => {
    const reconciling = new Metrics();
    reconciling.reconciled(1_772_366_400);
    expect(sample(await viewOf(new Metrics(), reconciling), RECONCILED)).to.equal('1772366400');
  });

  it('have the feed version and head of the worker that is furthest behind', async () => {
    const [ahead, behind] = [new Metrics(), new Metrics()];
    ahead.observeCopies(
      () => ({ position: { n: 7, mark: NO_MARK }, copiedItems: 7, head: moment('2026-03-01T12:00:07Z') }),
      () => null,
    );
    behind.observeCopies(
      () => ({ position: { n: 5, mark: NO_MARK }, copiedItems: 5, head: moment('2026-03-01T12:00:05.25Z') }),
      () => null,
    );
    const text = await viewOf(ahead, behind);
    expect([sample(text, VERSION), sample(text, HEAD)]).to.deep.equal(['5', '1772366405.25']);
  });
});
