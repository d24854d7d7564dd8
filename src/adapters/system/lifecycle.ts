/** Whether the service is still starting, and whether it is on its way out (T8). */
export class Lifecycle {
  #isStarting = true;
  #waitingFor: string | null = null;
  #isDraining = false;

  readonly isStarting = (): boolean => this.#isStarting;

  /** What the start waits for, in words for an operator; null while it waits for nothing. */
  readonly waitingFor = (): string | null => this.#waitingFor;

  readonly isDraining = (): boolean => this.#isDraining;

  readonly waitFor = (text: string | null): void => {
    this.#waitingFor = text;
  };

  /** A line of `/readyz`. */
  readonly report = () =>
    this.#isDraining
      ? ({ dependency: 'service', state: 'down', text: 'shutting down' } as const)
      : ({ dependency: 'service', state: 'up', text: 'taking requests' } as const);

  started(): void {
    this.#isStarting = false;
  }

  drain(): void {
    this.#isDraining = true;
  }
}
