/** Where browsers find the service: the address that is set, else the port that it listens on. */
export class PublicAddress {
  #url: string;
  readonly #isSet: boolean;

  constructor(set: string | undefined, port: number) {
    this.#isSet = set !== undefined;
    this.#url = set ?? `http://localhost:${port}`;
  }

  /** Without a slash at the end. */
  readonly url = (): string => this.#url;

  /** Which port it came to be, where any would do. */
  listening(port: number): void {
    if (!this.#isSet) this.#url = `http://localhost:${port}`;
  }

  /** Whether browsers come over https. */
  get isSecure(): boolean {
    return this.#url.startsWith('https:');
  }

  /** Plain http is for one's own machine alone: what a browser sends over it elsewhere others can read. */
  get isPrivate(): boolean {
    return this.isSecure || ['localhost', '127.0.0.1', '[::1]'].includes(new URL(this.#url).hostname);
  }
}
