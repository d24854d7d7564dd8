/** Whether the service is on its way out (T8). */
export class Lifecycle {
  #draining = false;

  readonly isDraining = (): boolean => this.#draining;

  drain(): void {
    this.#draining = true;
  }
}
