import { OddswireError } from './errors.js';

type Fault = { readonly code?: unknown; readonly errors?: unknown };

/** Names the address and the cause of a failed connection, without the key: texts of a runtime can contain the request. */
export class ConnectionErrors {
  readonly #key: string;
  readonly #base: string;

  constructor(base: string, key: string) {
    this.#key = key;
    this.#base = this.#withoutKey(base);
  }

  /** No response, or not all of it. */
  failed(error: unknown): OddswireError {
    const cause = this.#causeOf(error);
    return new OddswireError(
      'connection_failed',
      `There is no complete response from ${this.#base} (${cause.message}).`,
      { cause },
    );
  }

  timedOut(error: unknown): OddswireError {
    return new OddswireError('timed_out', `The response from ${this.#base} took too long.`, {
      cause: this.#causeOf(error),
    });
  }

  /** The innermost error, as one of our own: that of the runtime can have the request as a property. */
  #causeOf(error: unknown): Error {
    const inner = innermost(error);
    const text = inner instanceof Error ? inner.message : String(inner);
    const { code } = (inner ?? {}) as Fault;
    const isCode = typeof code === 'string' && /^\w+$/.test(code);
    const cause = new Error(this.#withoutKey(text) || (isCode ? code : 'no reason is known'));
    return isCode ? Object.assign(cause, { code }) : cause;
  }

  #withoutKey(text: string): string {
    return text.replaceAll(this.#key, '[key]');
  }
}

/** `fetch` says only that it failed. Of a name with several addresses, the first error counts. */
function innermost(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const [first] = Array.isArray((error as Fault).errors) ? ((error as Fault).errors as unknown[]) : [];
  const next = first ?? error.cause;
  return next instanceof Error ? innermost(next) : error;
}
