/** The URL of the service for browsers: `PUBLIC_URL`, or else localhost with the port of the listener. */
export class PublicAddress {
  #url: string;
  readonly #isSet: boolean;

  constructor(setting: string | undefined, port: number) {
    this.#isSet = setting !== undefined;
    this.#url = setting ?? `http://localhost:${port}`;
  }

  /** Without a slash at the end. */
  readonly url = (): string => this.#url;

  /** Sets the port to that of the open listener, because with port 0 the system chooses it. */
  listening(port: number): void {
    if (!this.#isSet) this.#url = `http://localhost:${port}`;
  }

  /** Whether browsers use https. */
  get isSecure(): boolean {
    return this.#url.startsWith('https:');
  }

  /** Whether nobody else can read what a browser sends: over https, or over plain http on localhost. */
  get isPrivate(): boolean {
    return this.isSecure || ['localhost', '127.0.0.1', '[::1]'].includes(new URL(this.#url).hostname);
  }
}
