import type { DatabaseHost } from '../../domain/database-hosts.js';
import { NoPrimary } from './primary-chooser.js';

/** The server of a session was the primary until another one was promoted (D75). */
export class FormerPrimary extends NoPrimary {
  readonly timeline: number;
  /** The greatest timeline of its system that was seen. */
  readonly current: number;

  constructor(timeline: number, current: number) {
    super(`it is a former primary (timeline ${timeline}, the current one is ${current})`);
    this.timeline = timeline;
    this.current = current;
  }
}

/** `unusable`: no answer, or a standby. */
type HostAnswer = 'usable' | 'unusable' | FormerPrimary;

/**
 * What the last session with each host of a database URL has shown. If a former primary answers and no host can be used, operators
 * must act: the instances do not use this server by themselves, however long it is the only one.
 */
export class HostAnswers {
  readonly onOnlyFormer = new Set<(former: FormerPrimary) => void>();
  readonly #hosts: readonly DatabaseHost[];
  readonly #answers = new Map<DatabaseHost, HostAnswer>();
  #onlyFormer: FormerPrimary | null = null;

  constructor(hosts: readonly DatabaseHost[]) {
    this.#hosts = hosts;
  }

  /** The former primary that answers while no host can be used. Null if a host can be used, or was not asked yet. */
  get onlyFormer(): FormerPrimary | null {
    return this.#onlyFormer;
  }

  /** Calls the listeners when the first former primary answers while no host can be used. */
  note(host: DatabaseHost, answer: HostAnswer): void {
    this.#answers.set(host, answer);
    const wasNull = this.#onlyFormer === null;
    this.#onlyFormer = this.#findOnlyFormer();
    if (!wasNull || this.#onlyFormer === null) return;
    for (const listener of this.onOnlyFormer) listener(this.#onlyFormer);
  }

  #findOnlyFormer(): FormerPrimary | null {
    const answers = this.#hosts.map((host) => this.#answers.get(host) ?? 'usable');
    if (answers.includes('usable')) return null;
    return answers.find((answer) => answer instanceof FormerPrimary) ?? null;
  }
}
