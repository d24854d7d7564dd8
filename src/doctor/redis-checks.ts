import { type Finding, failed, ok, skipped } from '../adapters/findings/check.js';
import { connectionFinding } from '../adapters/findings/connection-fault.js';
import { serverAddress } from '../adapters/findings/without-secrets.js';
import { redisServers } from '../domain/redis-urls.js';
import { faultOf } from './fault.js';
import { type OpenRedis, openRedis } from './redis-facts.js';
import { clockFinding } from './rules/clock-difference.js';
import { evictionFinding } from './rules/eviction-policy.js';
import { type DoctorCheck, once } from './run-checks.js';

export function redisChecks(urls: readonly string[]): readonly DoctorCheck[] {
  if (urls.length === 0) return [{ check: 'redis', run: async () => skipped('REDIS_URL is not set') }];
  const servers = urls.map(serverAddress).join(', ');
  const opened = once(() => openRedis(urls));
  const whenOpen = (check: string, run: (redis: OpenRedis) => Promise<Finding>): DoctorCheck => ({
    check,
    run: async () => {
      const redis = await opened().catch(() => null);
      return redis === null ? skipped('Redis cannot be reached') : run(redis);
    },
  });
  return [
    {
      check: 'redis',
      run: () =>
        opened().then(
          (redis) => ok(answersText(urls, redis)),
          (fault) => connectionFinding('Redis', servers, faultOf(fault)),
        ),
    },
    whenOpen('redis scripts', (redis) => scriptsFinding(redis, servers)),
    whenOpen('redis messages', async (redis) =>
      (await redis.isDelivered())
        ? ok('a published message arrives')
        : failed(
            'a published message did not arrive at a subscriber',
            'Allow the user of REDIS_URL the channels oddswire:* (ACL), and use a server with publish and subscribe.',
          ),
    ),
    whenOpen('redis eviction', async (redis) => evictionFinding(await redis.memory())),
    whenOpen('redis clock', async (redis) => clockFinding('Redis', await redis.clock())),
  ];
}

function answersText(urls: readonly string[], { isCluster, servers }: OpenRedis): string {
  const given = urls.map(serverAddress).join(', ');
  if (redisServers(urls).kind === 'sentinel')
    return `${servers.join()} answers, which Sentinel names as the primary (${given})`;
  return `${given} ${isCluster ? 'answer as a cluster' : 'answers'}`;
}

async function scriptsFinding(redis: OpenRedis, servers: string): Promise<Finding> {
  try {
    await redis.write();
    return ok('scripts that write run on every node');
  } catch (fault) {
    return failed(
      `a script that writes failed on ${servers}: ${faultOf(fault).message}`,
      'Connect REDIS_URL to a primary, and allow its user EVAL, EVALSHA and the keys oddswire:* (ACL).',
    );
  }
}
