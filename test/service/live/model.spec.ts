import fc from 'fast-check';
import { casesWith, type Disaster } from '../../support/followers/follower-actions.js';
import { runFollowers } from '../../support/followers/follower-run.js';
import { TwoInstances } from '../../support/followers/two-instances.js';
import { runs } from '../../support/objects/builders.js';

const DEEP_TIMEOUT_MS = 600_000;

/** D45 to D50 and D58: the promises of docs/live.md, over two instances that share one Postgres and one Redis. */
describe('Clients that follow the feed of two instances', function () {
  this.timeout(DEEP_TIMEOUT_MS);
  let service: TwoInstances;
  before(async () => {
    service = await TwoInstances.start();
  });
  after(() => service.stop());

  /** Without smaller cases: they take long, and the next run of the same case can pass. */
  const holdsIn = (disasters: readonly Disaster[], numRuns: number) =>
    fc.assert(
      fc.asyncProperty(casesWith(...disasters), (plan) => runFollowers(service, plan)),
      { ...runs(numRuns), endOnFailure: true },
    );

  it('have its items exactly, wherever their connections end, and in whatever form they resume', () =>
    holdsIn([], 5));

  it('have its items exactly, if an instance is killed', () => holdsIn(['kill'], 2));

  it('have its items exactly, if the log no longer has the change after which they resume', () =>
    holdsIn(['trim'], 1));

  it('have its items exactly, if the database is restored to an older state', () => holdsIn(['restore'], 2));
});
