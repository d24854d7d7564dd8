import { Oddswire } from '@oddswire/client';
import { publication, timedNow } from '../objects/builders.js';
import { type SilentProxy, startSilentProxy } from '../servers/silent-proxy.js';
import { aKey, type KeyView, publishAll } from '../service/api-calls.js';
import { Client } from '../service/client.js';
import { type Service, startService } from '../service/running-service.js';
import { type FaultyProxy, startFaultyProxy } from './faulty-proxy.js';
import { hasPython, PythonClient } from './python-client.js';
import type { At, Following, FollowingOptions, Query, TestedClient } from './tested-client.js';
import { TYPESCRIPT } from './typescript-client.js';

/** A client under test with a service of its own, so that the clients run at the same time. */
export type Trial = {
  readonly tested: TestedClient;
  readonly service: Service;
  /** Publishes and operates. */
  readonly client: Client;
  readonly url: string;
  readonly key: KeyView;
  /** Reads the service without a proxy: what the tested client must have. */
  readonly direct: Oddswire;
  readonly proxy: FaultyProxy;
  readonly silent: SilentProxy;
  /** The tested client, through the faulty proxy. */
  readonly at: At;
  readonly publish: (...ids: readonly string[]) => Promise<void>;
  /** Follows until the case ends. */
  readonly follow: (at: At, query?: Query, options?: FollowingOptions) => Following;
  readonly followings: Following[];
};

/** A row of the tables that every client must pass. */
export type Case<Known = void> = {
  /** Completes the title of the table. */
  readonly name: string;
  readonly run: (trial: Trial, known: Known) => Promise<void>;
};

async function startTrial(tested: TestedClient, settings: Readonly<Record<string, string>>): Promise<Trial> {
  const service = await startService(settings);
  const url = service.instances[0]?.url ?? '';
  const client = await Client.of(service);
  const key = await aKey(client);
  const [proxy, silent] = await Promise.all([startFaultyProxy(url), startSilentProxy(url)]);
  const followings: Following[] = [];
  return {
    tested,
    service,
    client,
    url,
    key,
    direct: new Oddswire({ url, key: key.key }),
    proxy,
    silent,
    at: { url: proxy.url, key: key.key },
    publish: (...ids) =>
      publishAll(
        client,
        ids.map((id) => timedNow(publication({ id }))),
      ),
    follow: (at, query, options) => {
      const following = tested.follow(at, query, options);
      followings.push(following);
      return following;
    },
    followings,
  };
}

/** Runs each case with each client, at the same time (D135), and prints which client passed which case. */
export function runCases<Known>(
  title: string,
  {
    settings = {},
    prepare,
    cases,
  }: {
    readonly settings?: Readonly<Record<string, string>>;
    readonly prepare: (trial: Trial) => Promise<Known>;
    readonly cases: readonly Case<Known>[];
  },
): void {
  describe(title, function () {
    this.timeout(30_000);
    const python = hasPython ? new PythonClient() : null;
    const clients = [TYPESCRIPT, ...(python === null ? [] : [python])];
    let trials: readonly { readonly trial: Trial; readonly known: Known }[] = [];
    const results: string[] = [];

    before(async () => {
      trials = await Promise.all(
        clients.map(async (tested) => {
          const trial = await startTrial(tested, settings);
          return { trial, known: await prepare(trial) };
        }),
      );
    });
    after(async () => {
      python?.stop();
      for (const { trial } of trials) await stop(trial);
      console.log(tableOf(title, clients, results));
    });

    if (python === null)
      it('is tested in Python too, if this machine has the command python3: it has not', function () {
        this.skip();
      });

    for (const { name, run } of cases)
      it(name, async () => {
        const ends = await Promise.allSettled(trials.map(({ trial, known }) => run(trial, known)));
        await Promise.all(trials.map(({ trial }) => endCase(trial)));
        results.push(
          `${ends.map(({ status }) => (status === 'fulfilled' ? 'passed' : 'FAILED').padEnd(12)).join('')}${name}`,
        );
        for (const [n, end] of ends.entries())
          if (end.status === 'rejected') throw named(end.reason, clients[n]);
      });
  });
}

async function endCase({ followings, proxy }: Trial): Promise<void> {
  proxy.failAll(null);
  for (const following of followings.splice(0)) {
    following.stop();
    await following.ended.catch(() => {});
  }
}

async function stop({ proxy, silent, service }: Trial): Promise<void> {
  await Promise.all([proxy.stop(), silent.stop(), service.stop()]);
}

function named(reason: unknown, client: TestedClient | undefined): unknown {
  if (reason instanceof Error) reason.message = `${client?.language}: ${reason.message}`;
  return reason;
}

const tableOf = (title: string, clients: readonly TestedClient[], results: readonly string[]): string =>
  [clients.map(({ language }) => language.padEnd(12)).join('') + title, ...results].join('\n');
