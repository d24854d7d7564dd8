/** A set of listeners. A listener that throws affects neither the caller nor the other listeners. */
export class Listeners<Message> {
  readonly #listeners = new Set<(message: Message) => void>();

  /** Returns a function that removes the listener. */
  add(listener: (message: Message) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  notify(message: Message): void {
    for (const listener of this.#listeners) {
      try {
        listener(message);
      } catch {
        // A listener that throws loses only this message.
      }
    }
  }
}
