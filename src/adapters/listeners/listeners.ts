/**
 * A set of listeners. A listener that throws affects neither the caller nor the other listeners: it loses only this message.
 * The first fault of each listener is a warning of the process, which the log shows.
 */
export class Listeners<Message> {
  readonly #listeners = new Set<(message: Message) => void>();
  readonly #reported = new WeakSet<(message: Message) => void>();

  /** Returns a function that removes the listener. */
  add(listener: (message: Message) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  notify(message: Message): void {
    for (const listener of this.#listeners) {
      try {
        listener(message);
      } catch (fault) {
        this.#report(listener, fault);
      }
    }
  }

  #report(listener: (message: Message) => void, fault: unknown): void {
    if (this.#reported.has(listener)) return;
    this.#reported.add(listener);
    process.emitWarning(fault instanceof Error ? fault : String(fault));
  }
}
