import { createClient } from 'redis';
import { clusterSettings, startTestRedis, startTestRedisCluster, type TestRedis } from './redis.js';
import { reservedPort } from './reserved-port.js';

/** How long a server is silent before the others elect another one: by default 15 s in a cluster, and 30 s by Sentinel. */
const SILENT_MS = 1_000;
/** A new replica does not wait for others. */
const REPLICA = ['--repl-diskless-sync-delay', '0', '--repl-ping-replica-period', '1'];

/** A cluster of three masters with one replica each. Healthy shards answer while another one has no master. */
export async function startFailoverCluster(fullCoverage: 'yes' | 'no' = 'no'): Promise<{
  readonly url: string;
  readonly masters: readonly TestRedis[];
  /** Resolves when the replica of this master has taken its role. */
  readonly electedFor: (master: number) => Promise<void>;
  readonly stop: () => Promise<void>;
}> {
  const settings = [
    ...['--cluster-node-timeout', String(SILENT_MS), '--cluster-replica-validity-factor', '0'],
    ...['--cluster-require-full-coverage', fullCoverage, ...REPLICA],
  ];
  const { urls, nodes, busPort, stop } = await startTestRedisCluster([], settings);
  const replicas = await Promise.all(
    urls.map(async (master) => {
      const replica = await startTestRedis([...clusterSettings(await reservedPort()), ...settings]);
      await becomeReplica(replica.url, master, urls[0] ?? '', busPort);
      return replica;
    }),
  );
  return {
    url: urls.join(),
    masters: nodes,
    electedFor: (master) => untilMaster(replicas[master]?.url ?? ''),
    stop: async () => {
      await Promise.all([stop(), ...replicas.map((each) => each.stop())]);
    },
  };
}

async function becomeReplica(url: string, master: string, first: string, busPort: number): Promise<void> {
  const id = String(await asked(master, ['CLUSTER', 'MYID']));
  const { hostname, port } = new URL(first);
  await asked(url, ['CLUSTER', 'MEET', hostname, port, String(busPort)]);
  while (!String(await asked(url, ['CLUSTER', 'NODES'])).includes(`${id} 127`)) await pause();
  await asked(url, ['CLUSTER', 'REPLICATE', id]);
  await untilReplicating(url);
}

const untilReplicating = async (url: string): Promise<void> => {
  while (!String(await asked(url, ['INFO', 'replication'])).includes('master_link_status:up')) await pause();
};

/** A primary with a replica, and three Sentinels, which know them as `oddswire`. Both kinds can have a password. */
export async function startTestSentinels(passwords?: {
  readonly nodes: string;
  readonly sentinels: string;
}): Promise<{
  /** For `REDIS_URL`. */
  readonly url: string;
  readonly primary: TestRedis;
  /** Resolves when a Sentinel says that the replica has the role of the primary. */
  readonly elected: () => Promise<void>;
  readonly stop: () => Promise<void>;
}> {
  const { nodes, sentinels: ofSentinels } = passwords ?? { nodes: '', sentinels: '' };
  const withPassword = (url: string, password: string) =>
    password === '' ? url : url.replace('://', `://:${password}@`);
  const node = [...REPLICA, ...(nodes ? ['--requirepass', nodes, '--masterauth', nodes] : [])];
  const primary = await startTestRedis(node);
  const { hostname, port } = new URL(primary.url);
  const replica = await startTestRedis([...node, '--replicaof', `${hostname} ${port}`]);
  const own = [
    `sentinel monitor ${SENTINEL_NAME} ${hostname} ${port} 2`,
    `sentinel down-after-milliseconds ${SENTINEL_NAME} ${SILENT_MS}`,
    `sentinel failover-timeout ${SENTINEL_NAME} 5000`,
    ...(nodes ? [`sentinel auth-pass ${SENTINEL_NAME} ${nodes}`] : []),
    ...(ofSentinels ? [`requirepass ${ofSentinels}`] : []),
  ];
  const sentinels = await Promise.all([1, 2, 3].map(() => startTestRedis(['--sentinel'], own)));
  const sentinelUrls = sentinels.map(({ url }) => withPassword(url, ofSentinels));
  await untilReplicating(withPassword(replica.url, nodes));
  for (const url of sentinelUrls)
    while (!(await knows(url, ['num-other-sentinels 2', 'num-slaves 1']))) await pause();
  const hosts = sentinels.map(({ url }) => new URL(url).host).join();
  const parameters = ofSentinels ? `?db=1&sentinel_password=${ofSentinels}` : '';
  const names = async (url: string) =>
    String(await asked(url, ['SENTINEL', 'GET-MASTER-ADDR-BY-NAME', SENTINEL_NAME]));
  return {
    url: withPassword(`redis+sentinel://${hosts}/${SENTINEL_NAME}${parameters}`, nodes),
    primary,
    elected: async () => {
      const replicaPort = new URL(replica.url).port;
      const isNamed = async () =>
        (await Promise.all(sentinelUrls.map(names))).some((one) => one.endsWith(replicaPort));
      while (!(await isNamed())) await pause();
    },
    stop: async () => {
      await Promise.all([primary, replica, ...sentinels].map((each) => each.stop()));
    },
  };
}

const SENTINEL_NAME = 'oddswire';

async function knows(sentinel: string, facts: readonly string[]): Promise<boolean> {
  const known = (await asked(sentinel, ['SENTINEL', 'MASTER', SENTINEL_NAME])) as readonly string[];
  const pairs = known.map((name, i) => `${name} ${known[i + 1]}`);
  return facts.every((fact) => pairs.includes(fact));
}

async function untilMaster(url: string): Promise<void> {
  while (!String(await asked(url, ['INFO', 'replication'])).includes('role:master')) await pause();
}

/** The answer of a server to one command. */
export async function asked(url: string, command: readonly string[]): Promise<unknown> {
  const client = createClient({ url, RESP: 2 });
  client.on('error', () => {});
  await client.connect();
  try {
    return await client.sendCommand([...command]);
  } finally {
    client.destroy();
  }
}

const pause = () => new Promise((done) => setTimeout(done, 50));
