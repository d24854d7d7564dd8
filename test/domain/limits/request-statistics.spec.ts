import { expect } from 'chai';
import {
  ALL_REQUESTS,
  countsOfLog,
  failuresByCode,
  forecastShare,
  matching,
  percentileMs,
  quotaLine,
  requestsWith,
  servedShare,
} from '../../../src/domain/limits/request-statistics.js';
import { totalOf, USAGE_SPANS, usageOver } from '../../../src/domain/limits/usage.js';
import { HOUR, MINUTE, plus, SECOND, startOfDay } from '../../../src/domain/moment.js';
import { NOON } from '../../support/objects/builders.js';
import { failedRequest, loggedRequest } from '../../support/objects/logged-requests.js';

const at = (seconds: number) => plus(NOON, seconds * SECOND);
const served = loggedRequest();
const unchanged = loggedRequest({ status: 304 });
const wrong = failedRequest({ status: 400, code: 'invalid_parameter', at: at(5) });
const limited = [failedRequest({ at: at(9) }), failedRequest({ at: at(7) })];
const closed = failedRequest({ status: 499, code: null });
const failed = failedRequest({ status: 503, code: 'unavailable' });
const all = [served, unchanged, wrong, ...limited, closed, failed];

describe('The statistics of the request log', () => {
  it('have only the requests of a filter', () => {
    expect(matching(all, ALL_REQUESTS)).to.deep.equal(all);
    expect(matching(all, { ...ALL_REQUESTS, failedOnly: true })).to.deep.equal([
      wrong,
      ...limited,
      closed,
      failed,
    ]);
    expect(matching(all, { ...ALL_REQUESTS, statusClass: '4xx' })).to.deep.equal([wrong, ...limited, closed]);
    expect(matching(all, { ...ALL_REQUESTS, statusClass: '2xx', failedOnly: true })).to.deep.equal([]);
    expect(matching(all, { ...ALL_REQUESTS, code: 'rate_limited' })).to.deep.equal(limited);
    expect(matching(all, { ...ALL_REQUESTS, code: '499' })).to.deep.equal([closed]);
  });

  it('count failed requests by code, the most frequent first, with the time of the last one', () => {
    expect(failuresByCode(all)).to.deep.equal([
      { code: 'rate_limited', requests: 2, lastAt: at(9) },
      { code: '499', requests: 1, lastAt: NOON },
      { code: 'invalid_parameter', requests: 1, lastAt: at(5) },
      { code: 'unavailable', requests: 1, lastAt: NOON },
    ]);
    expect([429, 402].map((status) => requestsWith(all, status))).to.deep.equal([2, 0]);
  });

  it('have the duration that a share of the requests does not exceed', () => {
    const durations = [5, 1, 4, 2, 3].map((durationMs) => loggedRequest({ durationMs }));
    for (const [share, ms] of [
      [0.5, 3],
      [0.95, 5],
      [0.2, 1],
      [0, 1],
    ] as const)
      expect(percentileMs(durations, share), `${share}`).to.equal(ms);
    expect(percentileMs([], 0.95)).to.equal(null);
  });

  it('count the minutes of the last hour', () => {
    const now = plus(NOON, 30 * SECOND);
    const log = [at(1), at(2), plus(NOON, -MINUTE), plus(NOON, -HOUR)].map((moment) =>
      loggedRequest({ at: moment }),
    );
    const minutes = usageOver(USAGE_SPANS['1h'], countsOfLog([...log, limited[0] ?? served]), now);
    expect(minutes).to.have.length(60);
    expect(minutes.slice(-2).map(({ byStatusClass }) => byStatusClass)).to.deep.equal([
      { '2xx': 1, '3xx': 0, '4xx': 0, '5xx': 0 },
      { '2xx': 2, '3xx': 0, '4xx': 1, '5xx': 0 },
    ]);
    expect(totalOf(minutes).requests).to.equal(4);
  });

  it('count 7 days by quarters of days, up to the current one', () => {
    const count = { key: served.key, statusClass: '2xx', requests: 1 } as const;
    const counts = [at(0), plus(NOON, 5 * HOUR), plus(NOON, 6 * HOUR), plus(NOON, -HOUR)].map((hour) => ({
      ...count,
      hour,
    }));
    const quarters = usageOver(USAGE_SPANS['7d'], counts, plus(NOON, 7 * HOUR));
    expect(quarters.map(({ requests }) => requests).slice(-3)).to.deep.equal([1, 2, 1]);
    expect(quarters).to.have.length(28);
    expect(quarters.at(-1)?.start).to.equal(plus(NOON, 6 * HOUR));
  });

  it('have the share of served requests', () => {
    const total = totalOf(usageOver(USAGE_SPANS['1h'], countsOfLog(all), plus(NOON, MINUTE)));
    expect(servedShare(total)).to.equal(2 / 7);
    expect(servedShare({ ...total, requests: 0 })).to.equal(null);
  });

  it('forecast the share of the quota at the end of the day', () => {
    expect(forecastShare(100, 1_000, NOON)).to.equal(0.2);
    expect(forecastShare(0, 1_000, NOON)).to.equal(0);
    expect(forecastShare(5, 1_000, startOfDay(NOON))).to.equal(0);
  });

  it('show the quota of a day above half of it, where bars are days', () => {
    const bar = { start: NOON, byStatusClass: { '2xx': 0, '3xx': 0, '4xx': 0, '5xx': 0 } };
    const line = (range: '24h' | '30d', requests: number, quota: number | null) =>
      quotaLine(USAGE_SPANS[range], [{ ...bar, requests }], quota);
    expect([
      line('30d', 51, 100),
      line('30d', 50, 100),
      line('24h', 51, 100),
      line('30d', 51, null),
    ]).to.deep.equal([100, null, null, null]);
  });
});
