/** The cookies of one browser at one host, by name only: enough for servers that use each name once. */
export class CookieJar {
  readonly #cookies = new Map<string, string>();

  /** The value of the `Cookie` header. */
  get header(): string {
    return [...this.#cookies].map((pair) => pair.join('=')).join('; ');
  }

  /** Stores the cookies of an answer, and removes those that it sets to an empty value. */
  take(headers: Headers): void {
    for (const cookie of headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=;]+)=([^;]*)/.exec(cookie) ?? [];
      if (value === '') this.#cookies.delete(name);
      else this.#cookies.set(name, value);
    }
  }
}
