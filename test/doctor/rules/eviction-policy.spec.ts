import { expect } from 'chai';
import { evictionFinding } from '../../../src/doctor/rules/eviction-policy.js';

describe('The eviction policy of Redis', () => {
  const node = (policy: string | null, maxBytes: number | null = 0) => ({ policy, maxBytes });
  // biome-ignore format: a table is read by its columns
  const rows = [
    [[node('noeviction')],                                     'ok',      /noeviction/],
    [[node('noeviction'), node('noeviction')],                 'ok',      /noeviction/],
    [[node('allkeys-lru', 1_000)],                             'warning', /allkeys-lru.*when its memory is full/],
    [[node('allkeys-lru', 0)],                                 'warning', /as soon as maxmemory is set/],
    [[node('volatile-ttl', 1_000)],                            'warning', /volatile-ttl/],
    [[node('noeviction'), node('allkeys-random', 1_000)],      'warning', /allkeys-random, noeviction/],
    [[node(null, null)],                                       'warning', /does not report/],
    [[node('noeviction'), node(null)],                         'warning', /does not report/],
  ] as const;
  for (const [nodes, result, detail] of rows) {
    it(`${JSON.stringify(nodes)} is ${result}`, () => {
      const finding = evictionFinding(nodes);
      expect(finding.result).to.equal(result);
      expect(finding.detail).to.match(detail);
      if (result === 'warning') expect(finding.advice).to.include('noeviction');
    });
  }
});
