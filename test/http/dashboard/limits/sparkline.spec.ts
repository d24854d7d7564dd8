import { expect } from 'chai';
import { renderToString } from 'preact-render-to-string';
import { Sparkline } from '../../../../src/adapters/dashboard/limits/sparkline.js';
import { LAST_24_HOURS, usageOver } from '../../../../src/domain/limits/usage.js';
import { HOUR, plus } from '../../../../src/domain/moment.js';
import { keyId, NOON } from '../../../support/objects/builders.js';

const svgOf = (...hours: readonly (readonly [hoursAgo: number, requests: number])[]): string => {
  const counts = hours.map(([ago, requests]) => ({
    key: keyId('key'),
    hour: plus(NOON, -ago * HOUR),
    statusClass: '2xx' as const,
    requests,
  }));
  const buckets = usageOver(LAST_24_HOURS, counts, NOON);
  return renderToString(Sparkline({ buckets, period: 'in 24 hours' }));
};

describe('A sparkline', () => {
  it('has a bar for each hour with requests, as high as its share of the busiest hour', () => {
    const svg = svgOf([0, 1_200], [1, 600], [23, 1]);
    expect(
      [...svg.matchAll(/<rect x="([^"]*)" y="([^"]*)" width="3" height="([^"]*)"/g)].map(([, ...bar]) => bar),
    ).to.deep.equal([
      ['0', '22', '2'],
      ['88', '12', '12'],
      ['92', '0', '24'],
    ]);
  });

  it('states the sum for readers of screens', () => {
    expect(svgOf([0, 1_200], [1, 4])).to.include('aria-label="1,204 requests in 24 hours"');
    expect(svgOf([0, 1])).to.include('aria-label="1 request in 24 hours"');
  });

  it('has no bar without requests', () => {
    expect(svgOf()).to.include('aria-label="0 requests in 24 hours"').and.not.include('<rect');
  });
});
