/** Whether the service is still starting, and whether it is on its way out (T8). */
export class Lifecycle {
  #isStarting = true;
  #waitingFor: string | null = null;
  #isDraining = false;

  readonly isStarting = (): boolean => this.#isStarting;

  /** What the start waits for, in words for an operator; null while it waits for nothing. */
  readonly waitingFor = (): string | null => this.#waitingFor;

  readonly isDraining = (): boolean => this.#isDraining;

  readonly waitFor = (words: string | null): void => {
    this.#waitingFor = words;
  };

  /** A line of `/readyz`. */
  readonly report = () =>
    this.#isDraining
      ? ({ part: 'service', state: 'down', words: 'shutting down' } as const)
      : ({ part: 'service', state: 'up', words: 'taking requests' } as const);

  started(): void {
    this.#isStarting = false;
  }

  drain(): void {
    this.#isDraining = true;
  }
}
