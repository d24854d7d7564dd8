/** The cookies of one browser at one host, by name alone: enough for peers that never use a name twice. */
export class CookieJar {
  readonly #cookies = new Map<string, string>();

  /** For the `Cookie` header. */
  get header(): string {
    return [...this.#cookies].map((pair) => pair.join('=')).join('; ');
  }

  /** Keeps what an answer sets, and forgets what it empties. */
  take(headers: Headers): void {
    for (const cookie of headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=;]+)=([^;]*)/.exec(cookie) ?? [];
      if (value === '') this.#cookies.delete(name);
      else this.#cookies.set(name, value);
    }
  }
}
