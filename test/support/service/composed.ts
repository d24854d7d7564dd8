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

/** The whole service on real sockets in this process, with a clock that stands until it is set. */
export type Composed = {
  readonly config: Config;
  readonly url: string;
  readonly internalUrl: string;
  readonly port: number;
  readonly internalPort: number;
  readonly clock: { at: Moment };
  readonly parts: Parts;
  /** Every line that was logged so far. */
  readonly lines: readonly LogLine[];
  /** The first line like that, as soon as it is there. */
  readonly line: (is: (line: LogLine) => boolean) => Promise<LogLine>;
  /** Stops the service; once is enough, a second time does nothing. */
  readonly stop: () => Promise<void>;
};

const DEFAULTS: Environment = {
  HOST: '127.0.0.1',
  PORT: '0',
  INTERNAL_PORT: '0',
  DRAIN_DELAY_MS: '0',
  OPERATOR_TOKEN: 'operator-token-of-the-tests',
  PUBLISHER_TOKEN: 'publisher-token-of-the-tests',
  // Tests share an address.
  SIGN_IN_MAILS_PER_DAY: '1000000',
  NEW_ACCOUNTS_PER_DAY: '1000000',
};

export const START = moment('2026-03-01T12:00:10.000000Z');

/** The settings that a test's environment makes; throws where they are wrong. */
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
  const service = compose(config, own, ...replacements);
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

/** A destination for the log that keeps its lines, and tells who waits for one. */
function memoryLog() {
  const lines: LogLine[] = [];
  const waiting = new Set<(line: LogLine) => void>();
  return {
    lines,
    write: (text: string) => {
      const line = JSON.parse(text) as LogLine;
      lines.push(line);
      for (const tell of waiting) tell(line);
    },
    line: (is: (line: LogLine) => boolean): Promise<LogLine> => {
      const there = lines.find(is);
      if (there !== undefined) return Promise.resolve(there);
      return new Promise((done) => {
        const tell = (line: LogLine) => {
          if (!is(line)) return;
          waiting.delete(tell);
          done(line);
        };
        waiting.add(tell);
      });
    },
  };
}

export type Holder = { readonly account: AccountId; readonly key: ApiKey; readonly value: KeyValue };

let holders = 0;

/** An account of its own with one key. */
export async function keyHolder({ parts }: Composed, plan: PlanName = 'pro'): Promise<Holder> {
  holders += 1;
  const identity = { email: `holder-${holders}@composed.example`, plan, processorCustomerId: null };
  const account = accepted(await parts.openAccount(identity, 'test'));
  const { key, value } = accepted(await parts.issueKey(account.id, null, 'test'));
  return { account: account.id, key, value };
}

/** Writes an account as a test wants it, past every rule. */
export async function rewrite(
  { parts }: Composed,
  id: AccountId,
  as: (account: Account) => Account,
): Promise<void> {
  accepted(await parts.accounts.change(id, (account) => ({ next: as(account), entries: [] })));
}

/** Publishes items with these ids, one second after the other, the last the newest. */
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

type Asking = {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | Buffer;
};

/** One request on a connection of its own, its headers and its answer untouched. */
export const ask = (url: string, { method = 'GET', headers = {}, body }: Asking = {}): Promise<Answer> =>
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
export const askNews = (
  { url }: Composed,
  key: string,
  headers: Readonly<Record<string, string>> = {},
  query = '',
): Promise<Answer> => ask(`${url}/pm/v2/news${query}`, { headers: { ...bearer(key), ...headers } });

/** A promise, and the way to keep it: for parts that wait until a test lets them go on. */
export function signal() {
  let send: () => void = () => {};
  const sent = new Promise<void>((done) => {
    send = done;
  });
  return { sent, send };
}
