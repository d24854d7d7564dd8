import { Breaker, type Pauses } from './breaker.js';
import type { DependencyText, Hooks, Reporting } from './monitored-server.js';

/** The servers of one dependency, each with its own keys. Others can take their place. */
export type Servers<Server extends { readonly address: string }> = {
  readonly current: () => readonly Server[];
  readonly onMove: (listener: () => void) => void;
  readonly probe: (server: Server) => Promise<unknown>;
};

/**
 * A breaker for each of several servers, so that one without an answer takes only its own keys out (D35). Each change is logged,
 * the gauge is 0 while a breaker is open, and `/readyz` names its server.
 */
export class MonitoredServers<Server extends { readonly address: string }> {
  readonly #reporting: Reporting & { readonly pauses: Pauses };
  readonly #text: DependencyText;
  readonly #servers: Servers<Server>;
  readonly #listeners: (() => void)[] = [];
  #breakers: ReadonlyMap<string, Breaker> = new Map();
  #isStarted = false;

  constructor(
    reporting: Reporting & { readonly pauses: Pauses },
    { starting, closing, reporting: onReadyz }: Hooks,
    text: DependencyText,
    servers: Servers<Server>,
  ) {
    this.#reporting = reporting;
    this.#text = text;
    this.#servers = servers;
    this.#renew();
    servers.onMove(() => void this.#move());
    onReadyz(() => {
      const { dependency, up } = text;
      const down = this.#down();
      return down.length === 0
        ? { dependency, state: 'up', text: up }
        : { dependency, state: 'degraded', text: this.#consequences(down) };
    });
    starting(() => this.#start());
    closing(async () => {
      for (const breaker of this.#breakers.values()) breaker.stop();
    });
  }

  /** Throws at once if the server does not answer. */
  run<T>({ address }: Server, work: () => Promise<T>): Promise<T> {
    const breaker = this.#breakers.get(address);
    return breaker === undefined ? work() : breaker.run(work);
  }

  /** Calls `listener` when a server becomes unavailable or available, and when other servers have the keys. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  async #start(): Promise<void> {
    this.#isStarted = true;
    this.#reporting.metrics.dependencyUp(this.#text.dependency, true);
    await Promise.all([...this.#breakers.values()].map((breaker) => breaker.start()));
  }

  /** The breaker of a server that keeps some of its keys stays as it is. */
  #renew(): readonly Breaker[] {
    const known = this.#breakers;
    const added: Breaker[] = [];
    this.#breakers = new Map(
      this.#servers.current().map(({ address }) => {
        const breaker = known.get(address) ?? this.#breakerOf(address);
        if (!known.has(address)) added.push(breaker);
        return [address, breaker];
      }),
    );
    for (const [address, breaker] of known) if (!this.#breakers.has(address)) breaker.stop();
    return added;
  }

  async #move(): Promise<void> {
    const wasDown = this.#down().length > 0;
    const added = this.#renew();
    for (const listener of this.#listeners) listener();
    if (!this.#isStarted) return;
    const { log } = this.#reporting;
    const { dependency } = this.#text;
    const servers = [...this.#breakers.keys()];
    log.info({ dependency, servers }, `${dependency} has its keys at ${servers.join(', ')} now`);
    await Promise.all(added.map((breaker) => breaker.start({ isStrict: false })));
    if (wasDown && this.#down().length === 0) this.#reportUp();
  }

  #breakerOf(address: string): Breaker {
    const { dependency } = this.#text;
    const probe = async () => {
      const server = this.#servers.current().find((one) => one.address === address);
      if (server !== undefined) await this.#servers.probe(server);
    };
    const breaker = new Breaker({ what: dependency, probe, pauses: this.#reporting.pauses });
    breaker.onChange((state, cause) => {
      if (this.#breakers.get(address) !== breaker) return; // A call to a server that has left ended late.
      if (state === 'open') this.#reportDown(address, cause);
      else if (this.#down().length === 0) this.#reportUp();
      for (const listener of this.#listeners) listener();
    });
    return breaker;
  }

  #down(): readonly string[] {
    return [...this.#breakers].filter(([, { state }]) => state === 'open').map(([address]) => address);
  }

  #reportUp(): void {
    const { dependency, up } = this.#text;
    const { log, metrics } = this.#reporting;
    metrics.dependencyUp(dependency, true);
    log.info({ dependency }, `${dependency} can be used again: ${up}`);
  }

  #reportDown(server: string, err: unknown): void {
    const { dependency } = this.#text;
    const { log, metrics } = this.#reporting;
    metrics.dependencyUp(dependency, false);
    log.warn({ dependency, server, err }, `${dependency} cannot be used: ${this.#consequences([server])}`);
  }

  /** One server has all keys, and needs no name. */
  #consequences(down: readonly string[]): string {
    const { unreachable } = this.#text;
    return this.#breakers.size === 1
      ? unreachable
      : `no answer from ${down.join(', ')}: for the keys there, ${unreachable}`;
  }
}
