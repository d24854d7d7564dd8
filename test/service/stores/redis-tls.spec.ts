import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { certificateIn } from '../../support/proxies/certificate.js';
import { freshDatabase } from '../../support/servers/postgres.js';
import { startTestRedisCluster, type TestRedisCluster } from '../../support/servers/redis.js';
import { serverUrl } from '../../support/servers/stores.js';
import { admittedOf, untilReady } from '../../support/service/admissions.js';
import { aKey } from '../../support/service/api-calls.js';
import { Client } from '../../support/service/client.js';
import { type Service, startService } from '../../support/service/running-service.js';
import { until } from '../../support/until.js';

const QUOTA = 60;

/** The nodes name each other by their host names, because certificates rarely have addresses (D75). */
describe('Two instances on a Redis Cluster with TLS', function () {
  this.timeout(60_000);
  let folder: string;
  let cluster: TestRedisCluster;
  let service: Service;
  let client: Client;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'oddswire-redis-tls-'));
    const { certificateFile, keyFile } = certificateIn(folder);
    cluster = await startTestRedisCluster(
      [],
      [
        ...[
          '--tls-cert-file',
          certificateFile,
          '--tls-key-file',
          keyFile,
          '--tls-ca-cert-file',
          certificateFile,
        ],
        ...['--tls-auth-clients', 'no', '--tls-cluster', 'yes'],
        ...['--cluster-announce-hostname', 'localhost', '--cluster-preferred-endpoint-type', 'hostname'],
      ],
    );
    service = await startService(
      {
        DATABASE_URL: await freshDatabase(serverUrl()),
        REDIS_URL: cluster.nodes.map(({ tlsUrl }) => tlsUrl).join(),
        NODE_EXTRA_CA_CERTS: certificateFile,
        RATE_LIMIT_FREE_MINUTE: '1000000',
        RATE_LIMIT_FREE_DAY: String(QUOTA),
      },
      2,
    );
    client = await Client.of(service);
  });
  after(async () => {
    await service?.stop();
    await cluster?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('use every node, and count together', async () => {
    await untilReady(service);
    const keys = await Promise.all(Array.from({ length: 6 }, () => aKey(client, 'free')));
    for (const { key } of keys) expect(await admittedOf(service, key, QUOTA + 10)).to.equal(QUOTA);
  });

  it('learn of a revoked key from each other', async () => {
    const { key, key_id } = await aKey(client, 'pro');
    expect(await admittedOf(service, key, 4)).to.equal(4);
    await client.operate('POST', `/internal/v1/keys/${key_id}/revoke`, { cause: 'manual', reason: 'a test' });
    await until(0, () => admittedOf(service, key, 4));
  });
});
