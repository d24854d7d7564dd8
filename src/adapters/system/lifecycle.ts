/** Whether the service is starting, and whether it is shutting down (T8). */
export class Lifecycle {
  #isStarting = true;
  #waitingFor: string | null = null;
  #isDraining = false;

  readonly isStarting = (): boolean => this.#isStarting;

  /** What the start waits for, as text for an operator. Null if it waits for nothing. */
  readonly waitingFor = (): string | null => this.#waitingFor;

  readonly isDraining = (): boolean => this.#isDraining;

  readonly isReady = (): boolean => !this.#isStarting && !this.#isDraining;

  readonly waitFor = (text: string | null): void => {
    this.#waitingFor = text;
  };

  /** An entry of `/readyz`. */
  readonly report = () =>
    this.#isDraining
      ? ({ dependency: 'service', state: 'down', text: 'shutting down' } as const)
      : ({ dependency: 'service', state: 'up', text: 'accepting requests' } as const);

  started(): void {
    this.#isStarting = false;
  }

  drain(): void {
    this.#isDraining = true;
  }
}
