import { setTimeout } from 'node:timers/promises';
import { type DatabaseHost, hostText } from '../../domain/database-hosts.js';

/** After the first primary has answered, the others have this long: the first of the URL is used. */
const SETTLE_MS = 200;

/** Throws the reason, for operators, if the server at this host is not the primary. */
type Probe = (host: DatabaseHost) => Promise<void>;

/** No host of the URL is a primary that answers. Its code is the SQLSTATE of a server that rejected a connection. */
export class NoPrimary extends Error {
  override readonly name = 'NoPrimary';
  readonly code = '08004';
}

/**
 * The host of the primary among the hosts of a database URL (D75). All pools and connections of a process on one URL share one
 * chooser, so that they agree.
 *
 * - *known*: new sessions go to the primary that was found last. `forget` ends this state: a session could not be opened there,
 *   or the server was not the primary any more. So does `forgetAll`: a server was promoted.
 * - *searching*: all hosts are asked at the same time, once for all callers.
 */
export class PrimaryChooser {
  readonly #hosts: readonly [DatabaseHost, ...DatabaseHost[]];
  readonly #probe: Probe;
  readonly #onMove: (to: DatabaseHost) => void;
  #known: DatabaseHost | null;
  #last: DatabaseHost | null = null;
  #search: Promise<DatabaseHost> | undefined;

  /** Calls `onMove` when the primary is at another host than before. */
  constructor(
    hosts: readonly [DatabaseHost, ...DatabaseHost[]],
    probe: Probe,
    onMove: (to: DatabaseHost) => void,
  ) {
    this.#hosts = hosts;
    this.#probe = probe;
    this.#onMove = onMove;
    this.#known = hosts.length === 1 ? hosts[0] : null;
  }

  /** Throws `NoPrimary` with the reason of each host. */
  async choose(): Promise<DatabaseHost> {
    if (this.#known !== null) return this.#known;
    this.#search ??= this.#find().finally(() => {
      this.#search = undefined;
    });
    return this.#search;
  }

  forget(host: DatabaseHost): void {
    if (this.#hosts.length > 1 && this.#known === host) this.#known = null;
  }

  /** The next session is preceded by a search. */
  forgetAll(): void {
    if (this.#hosts.length > 1) this.#known = null;
  }

  async #find(): Promise<DatabaseHost> {
    const primaries = new Set<DatabaseHost>();
    const probes = this.#hosts.map(async (host) => {
      await this.#probe(host);
      primaries.add(host);
    });
    try {
      await Promise.any(probes);
    } catch (fault) {
      throw new NoPrimary(this.#reasons(fault));
    }
    await Promise.race([Promise.allSettled(probes), setTimeout(SETTLE_MS)]);
    const found = this.#hosts.find((host) => primaries.has(host)) ?? this.#hosts[0];
    this.#known = found;
    const isMoved = this.#last !== null && this.#last !== found;
    this.#last = found;
    if (isMoved) this.#onMove(found);
    return found;
  }

  #reasons(fault: unknown): string {
    const faults = fault instanceof AggregateError ? fault.errors : [fault];
    const reasons = this.#hosts.map(
      (host, i) => `${hostText(host)}: ${(faults[i] as Error)?.message || 'it does not answer'}`,
    );
    return `no host of DATABASE_URL is a primary (${reasons.join('; ')})`;
  }
}
