import { type OutgoingHttpHeaders, request as plainRequest } from 'node:http';
import { type RequestOptions, request as tlsRequest } from 'node:https';
import { isIP, type TcpNetConnectOpts } from 'node:net';
import type {
  Outgoing,
  OutgoingOutcome,
  OutgoingRequest,
} from '../../application/ports/destinations/outgoing.js';
import { Unavailable } from '../../application/unavailable.js';
import type { NoAnswer } from '../../domain/destinations/delivery.js';
import type { DestinationUrlRules } from '../../domain/destinations/destination-url.js';
import { withDeadline } from '../resilience/deadline.js';
import { allowedAddresses } from './allowed-addresses.js';
import { type AddressRules, type CheckedHost, checkedHost } from './checked-addresses.js';
import { type Answer, exchange } from './exchange.js';
import { IdleConnections } from './idle-connections.js';
import { dnsResolution, type ResolveHost } from './resolve-host.js';
import { UnreadBodies } from './unread-bodies.js';

const HEADER_BYTES_MAX = 16_384;
/** The next address of a host is tried after this time without a connection. The default of Node is too short for far hosts. */
const NEXT_ADDRESS_MS = 1_000;

export type HttpOutgoingOptions = DestinationUrlRules & {
  /** Networks beyond the public addresses, as `10.0.0.0/8`. */
  readonly networks: readonly string[];
  readonly timeoutMs: number;
  /** When this process was last paused, by the clock of `performance.now`; null for never. */
  readonly lastWokeAt?: () => number | null;
  readonly resolve?: ResolveHost;
  /** A certificate authority instead of the usual ones. */
  readonly ca?: string;
};

type ConnectOptions = RequestOptions &
  Pick<TcpNetConnectOpts, 'autoSelectFamily' | 'autoSelectFamilyAttemptTimeout'>;

/** Failures that a pause of this process can cause (T17). */
const BY_PAUSE: ReadonlySet<NoAnswer> = new Set(['not_resolved', 'timed_out', 'cut']);

/**
 * Sends requests with `node:https` (D70). The callers bound their number, and so the number of connections in use. `close` ends
 * the idle ones.
 */
export class HttpOutgoing implements Outgoing {
  readonly #rules: AddressRules;
  readonly #timeoutMs: number;
  readonly #lastWokeAt: () => number | null;
  readonly #resolve: ResolveHost;
  readonly #ca: string | undefined;
  readonly #idle = new IdleConnections();
  readonly #bodies = new UnreadBodies();

  constructor(options: HttpOutgoingOptions) {
    this.#rules = { ...options, isAllowed: allowedAddresses(options.networks) };
    this.#timeoutMs = options.timeoutMs;
    this.#lastWokeAt = options.lastWokeAt ?? (() => null);
    this.#resolve = options.resolve ?? dnsResolution();
    this.#ca = options.ca;
  }

  async post(request: OutgoingRequest): Promise<OutgoingOutcome> {
    const startedAt = performance.now();
    const answer = this.#excused(await this.#answer(request), startedAt);
    return { ...answer, ms: Math.round(performance.now() - startedAt) };
  }

  close(): void {
    this.#idle.destroy();
  }

  async #answer(request: OutgoingRequest): Promise<Answer> {
    const url = new URL(request.url);
    const checked = checkedHost(url, this.#rules, this.#resolve);
    if (typeof checked === 'string') return { answered: false, why: checked };
    const body = Buffer.from(request.body);
    const isTls = url.protocol === 'https:';
    const send = isTls ? tlsRequest : plainRequest;
    const over = new AbortController();
    const options = this.#options(url, checked, { ...request.headers, 'content-length': body.length });
    const started = (agent: IdleConnections | false) => send({ ...options, agent, signal: over.signal });
    try {
      return await withDeadline(this.#timeoutMs, url.host, async () => {
        const first = started(isTls ? this.#idle : false);
        const answer = await exchange(first, body, this.#bodies);
        // The receiver closed an idle connection in the moment in which it was used again.
        const isStale = !answer.answered && answer.why === 'cut' && first.reusedSocket;
        return isStale && !over.signal.aborted ? exchange(started(false), body, this.#bodies) : answer;
      });
    } catch (fault) {
      if (!(fault instanceof Unavailable)) throw fault;
      over.abort();
      return { answered: false, why: 'timed_out' };
    }
  }

  #options(url: URL, { host, lookup }: CheckedHost, headers: OutgoingHttpHeaders): ConnectOptions {
    return {
      method: 'POST',
      host,
      port: url.port,
      path: `${url.pathname}${url.search}`,
      headers,
      lookup,
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS,
      // TLS has no server names for addresses.
      servername: isIP(host) === 0 ? host : '',
      // Whatever NODE_TLS_REJECT_UNAUTHORIZED is.
      rejectUnauthorized: true,
      ca: this.#ca,
      maxHeaderSize: HEADER_BYTES_MAX,
      insecureHTTPParser: false,
    };
  }

  #excused(answer: Answer, startedAt: number): Answer {
    if (answer.answered || !BY_PAUSE.has(answer.why)) return answer;
    const wokeAt = this.#lastWokeAt();
    return wokeAt !== null && wokeAt >= startedAt ? { answered: false, why: 'own_fault' } : answer;
  }
}
