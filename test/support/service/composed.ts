import { type IncomingHttpHeaders, request } from 'node:http';
import { jsonLog } from '../../../src/adapters/system/json-log.js';
import { compose, type Parts, type Replacement } from '../../../src/composition/compose.js';
import type { Account, AccountId } from '../../../src/domain/accounts/account.js';
import type { PlanName } from '../../../src/domain/billing/plan.js';
import type { PublicationInput } from '../../../src/domain/feed/feed-item.js';
import type { ApiKey } from '../../../src/domain/keys/api-key.js';
import type { KeyValue } from '../../../src/domain/keys/key-value.js';
import type { Moment } from '../../../src/domain/moment.js';
import { startService } from '../../../src/process/service.js';
import type { Config } from '../../../src/settings/config.js';
import type { Environment } from '../../../src/settings/environment.js';
import { accepted, market, moment, publication, subMarket } from '../objects/builders.js';
import { acceptedSettings } from '../objects/settings.js';

export type LogLine = Readonly<Record<string, unknown>> & { readonly msg: string };

/** The complete service in this process, on real sockets. Tests set its clock. */
export type Composed = {
  readonly config: Config;
  readonly url: string;
  readonly internalUrl: string;
  readonly port: number;
  readonly internalPort: number;
  readonly clock: { at: Moment };
  readonly parts: Parts;
  /** All log lines so far. */
  readonly lines: readonly LogLine[];
  /** Waits for the first matching log line. */
  readonly line: (is: (line: LogLine) => boolean) => Promise<LogLine>;
  /** Stops the service. A second call does nothing. */
  readonly stop: () => Promise<void>;
};

const DEFAULTS: Environment = {
  HOST: '127.0.0.1',
  PORT: '0',
  INTERNAL_PORT: '0',
  DRAIN_DELAY_MS: '0',
  OPERATOR_TOKEN: 'operator-token-of-the-tests',
  PUBLISHER_TOKEN: 'publisher-token-of-the-tests',
  // High limits, because tests share a client address.
  SIGN_IN_MAILS_PER_DAY: '1000000',
  NEW_ACCOUNTS_PER_DAY: '1000000',
};

export const START = moment('2026-03-01T12:00:10.000000Z');

/** The settings of a test's environment with the defaults of tests. Throws if they are invalid. */
export const settings = (environment: Environment = {}): Config =>
  acceptedSettings({ ...DEFAULTS, ...environment });

export async function composed(
  environment: Environment = {},
  ...replacements: readonly Replacement[]
): Promise<Composed> {
  const config = settings(environment);
  const clock = { at: START };
  const log = memoryLog();
  const own: Replacement = () => ({ log: () => jsonLog(config.logLevel, log), clock: () => () => clock.at });
  const service = await compose(config, own, ...replacements);
  const running = await startService(service, config);
  let stopped: Promise<void> | undefined;
  return {
    config,
    url: `http://127.0.0.1:${running.port}`,
    internalUrl: `http://127.0.0.1:${running.internalPort}`,
    port: running.port,
    internalPort: running.internalPort,
    clock,
    parts: service.parts,
    lines: log.lines,
    line: log.line,
    stop: () => {
      stopped ??= running.stop();
      return stopped;
    },
  };
}

/** A log destination that stores the lines and resolves those who wait for one. */
function memoryLog() {
  const lines: LogLine[] = [];
  const listeners = new Set<(line: LogLine) => void>();
  return {
    lines,
    write: (text: string) => {
      const line = JSON.parse(text) as LogLine;
      lines.push(line);
      for (const listener of listeners) listener(line);
    },
    line: (is: (line: LogLine) => boolean): Promise<LogLine> => {
      const written = lines.find(is);
      if (written !== undefined) return Promise.resolve(written);
      return new Promise((done) => {
        const listener = (line: LogLine) => {
          if (!is(line)) return;
          listeners.delete(listener);
          done(line);
        };
        listeners.add(listener);
      });
    },
  };
}

export type Holder = { readonly account: AccountId; readonly key: ApiKey; readonly value: KeyValue };

let holders = 0;

/** Opens a new account with one key. */
export async function keyHolder({ parts }: Composed, plan: PlanName = 'pro'): Promise<Holder> {
  holders += 1;
  const identity = { email: `holder-${holders}@composed.example`, plan, processorCustomerId: null };
  const account = accepted(await parts.openAccount(identity, 'test'));
  const { key, value } = accepted(await parts.issueKey(account.id, null, 'test'));
  return { account: account.id, key, value };
}

/** Changes a stored account without applying any rule. */
export async function rewrite(
  { parts }: Composed,
  id: AccountId,
  as: (account: Account) => Account,
): Promise<void> {
  accepted(await parts.accounts.change(id, (account) => ({ next: as(account), entries: [] })));
}

/** Publishes items with these ids, one second apart, the newest last. */
export async function publish({ parts }: Composed, ...ids: readonly string[]): Promise<void> {
  const publications = ids.map(
    (id, i): PublicationInput =>
      publication({
        id,
        scored_at: `2026-03-01T10:00:${String(i % 60).padStart(2, '0')}Z`,
        related_markets: [market(`m-${id}`, subMarket(`s-${id}`))],
      }),
  );
  for (const answer of await parts.publishNews(publications, 'live')) accepted(answer);
}

export type Problem = {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly instance: string;
  readonly code: string;
  readonly request_id: string;
  readonly errors?: readonly {
    readonly parameter: string;
    readonly code: string;
    readonly message: string;
  }[];
  readonly causes?: readonly string[];
  readonly violated_policies?: readonly string[];
};

export type Answer = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly json: <T = Problem>() => T;
};

type RequestOptions = {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | Buffer;
};

/** Sends one request on a new connection, without changing headers or answer. */
export const ask = (
  url: string,
  { method = 'GET', headers = {}, body }: RequestOptions = {},
): Promise<Answer> =>
  new Promise((done, fail) => {
    const sending = request(url, { method, headers: headers as Record<string, string>, agent: false });
    sending.once('error', fail).once('response', async (response) => {
      const chunks: Buffer[] = [];
      try {
        for await (const chunk of response) chunks.push(chunk as Buffer);
      } catch (fault) {
        fail(fault);
      }
      const bytes = Buffer.concat(chunks);
      const { statusCode: status = 0, headers: received } = response;
      done({ status, headers: received, body: bytes, json: () => JSON.parse(bytes.toString('utf8')) });
    });
    sending.end(body);
  });

export const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

/** `GET /pm/v2/news` with a key. */
export const requestNews = (
  { url }: Composed,
  key: string,
  headers: Readonly<Record<string, string>> = {},
  query = '',
): Promise<Answer> => ask(`${url}/pm/v2/news${query}`, { headers: { ...bearer(key), ...headers } });

/** A promise with its resolve function, for components that wait until a test lets them continue. */
export function signal() {
  let send: () => void = () => {};
  const sent = new Promise<void>((done) => {
    send = done;
  });
  return { sent, send };
}
