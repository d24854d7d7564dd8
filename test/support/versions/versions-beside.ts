import type { PublicationInput } from '../../../src/domain/feed/feed-item.js';
import { emptyDatabase } from '../servers/postgres.js';
import { startTestRedis } from '../servers/redis.js';
import { serverUrl } from '../servers/stores.js';
import { aKey, publishAll } from '../service/api-calls.js';
import { Client } from '../service/client.js';
import { type Launched, launchInstance, serviceOf } from '../service/running-service.js';
import { type BUILDS, launchVersionBefore } from './version-before.js';

/** A version of the service: a client of it, and the address of its API. */
type Version = { readonly client: Client; readonly url: string };

/** A previous build and this version with one database and one Redis. */
export type VersionsBeside = {
  readonly previous: Version;
  readonly present: Version;
  /** A key that both accept. */
  readonly key: string;
  /** The database and Redis, for further instances. */
  readonly settings: { readonly DATABASE_URL: string; readonly REDIS_URL: string };
  readonly stopVersions: () => Promise<void>;
  /** Stops the versions, unless they were stopped, and Redis. */
  readonly stop: () => Promise<void>;
};

/** Starts the previous build, publishes items there, and starts this version with further settings beside it. */
export async function startVersionsBeside(
  build: (typeof BUILDS)[number],
  earlier: readonly PublicationInput[],
  ownSettings: Readonly<Record<string, string>> = {},
): Promise<VersionsBeside> {
  const redis = await startTestRedis();
  const settings = { DATABASE_URL: await emptyDatabase(serverUrl()), REDIS_URL: redis.url };
  const running: Launched[] = [];
  const versionOf = async (launched: Launched): Promise<Version> => {
    running.push(launched);
    const instance = await launched.listening;
    return { client: await Client.of(serviceOf(instance)), url: instance.url };
  };
  const previous = await versionOf(launchVersionBefore(settings, build));
  await publishAll(previous.client, earlier);
  const present = await versionOf(launchInstance({ ...settings, ...ownSettings }));
  const { key } = await aKey(present.client);
  const stopVersions = async () =>
    void (await Promise.all(running.splice(0).map((launched) => launched.stop())));
  const stop = async () => {
    await stopVersions();
    await redis.stop();
  };
  return { previous, present, key, settings, stopVersions, stop };
}
