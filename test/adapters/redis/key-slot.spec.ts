import { expect } from 'chai';
import { keySlot } from '../../../src/adapters/redis/key-slot.js';
import { startTestRedisCluster, type TestRedisCluster } from '../../support/servers/redis.js';
import { asked } from '../../support/servers/redis-failover.js';

describe('The slot of a key', function () {
  this.timeout(30_000);
  let cluster: TestRedisCluster;
  before(async () => {
    cluster = await startTestRedisCluster();
  });
  after(() => cluster.stop());

  it('is that of Redis: by the text in the first braces, if there is any', async () => {
    const keys = [
      '',
      'a',
      '123456789',
      '{a}b',
      'x{a}{b}',
      '{}a',
      '{}{a}',
      'a{b',
      '}a{b}',
      'ä{ö}',
      '{{a}}',
      '{}',
    ];
    for (const key of keys)
      expect(keySlot(key), key).to.equal(await asked(cluster.urls[0] ?? '', ['CLUSTER', 'KEYSLOT', key]));
  });
});
