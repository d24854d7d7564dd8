import { ClientClosedError, ClientOfflineError, createClient, ErrorReply } from 'redis';
import type { Connection } from './liveness.js';
import type { Script } from './script.js';

/**
 * The options of all connections (T6). While there is no connection, a command fails at once. No command waits
 * permanently.
 */
const OPTIONS = {
  disableOfflineQueue: true,
  commandsQueueMaxLength: 1_000,
  // The timeout of the library ends only commands that are not sent yet, and creates an AbortSignal for each command.
  commandOptions: { timeout: 0 },
  socket: {
    connectTimeout: 500,
    /** Retries without end: after 50 ms, doubled up to 500 ms, with 20 % jitter. */
    reconnectStrategy: (retries: number) =>
      Math.min(50 * 2 ** Math.min(retries, 10), 500) * (0.8 + Math.random() * 0.4),
  },
} as const;
const RETRY_EVERY_MS = 500;

/**
 * A client that is never opened. Each client that the library creates with other options gets a class of its own, with a
 * method for each command, which takes 0.15 s of CPU. Copies have the class of the first one.
 */
let template: ReturnType<typeof createClient> | undefined;

function newClient(url: string): Commands {
  template ??= createClient(OPTIONS);
  // The library writes the address into the options of the socket.
  return template.duplicate({ url, socket: { ...OPTIONS.socket } }) as unknown as Commands;
}

type Eval = { readonly keys: string[]; readonly arguments: string[] };

type Commands = Connection & {
  evalSha(hash: string, options: Eval): Promise<unknown>;
  eval(text: string, options: Eval): Promise<unknown>;
  publish(channel: string, message: string): Promise<unknown>;
  subscribe(channel: string, listener: (message: string) => void): Promise<unknown>;
  sendCommand(command: readonly string[]): Promise<unknown>;
};

/** A connection to one server. It is opened in the background, and retried without end. */
export class RedisNode {
  readonly url: string;
  /** Host and port, for operators. */
  readonly address: string;
  readonly connection: Commands;
  #opened: Promise<void> | undefined;
  #isClosed = false;
  /** The last error of the connection. A command without a connection only reports that there is none. */
  #lastFault: unknown;

  constructor(url: string) {
    this.url = url;
    this.address = new URL(url).host;
    this.connection = newClient(url);
    // Each command throws its own error. Without a listener the event would end the process.
    this.connection.on('error', (fault) => this.#noteFault(fault));
  }

  /** Resolves when it was connected for the first time. The caller need not wait. */
  open(): Promise<void> {
    this.#opened ??= this.retried(async () => {
      // It may be open already, because it was given up during the first attempt and opened again.
      if (!this.connection.isReady) await this.connection.connect();
    });
    return this.#opened;
  }

  /** Retries, because a server may refuse the first attempts. */
  async retried(attempt: () => Promise<unknown>): Promise<void> {
    while (!this.#isClosed) {
      try {
        await attempt();
        return;
      } catch (fault) {
        this.#noteFault(fault);
        await new Promise((done) => setTimeout(done, RETRY_EVERY_MS).unref());
      }
    }
  }

  async run(
    { text, hash }: Script,
    keys: readonly string[],
    args: readonly (string | number)[],
    { isAsking = false } = {},
  ): Promise<unknown> {
    const options = { keys: [...keys], arguments: args.map(String) };
    // Sent directly before the script, over the same connection, so that it applies to the script.
    const ask = () => isAsking && void this.connection.sendCommand(['ASKING']).catch(() => {});
    try {
      ask();
      return await this.connection.evalSha(hash, options);
    } catch (fault) {
      // A restarted server does not have the script in its cache.
      if (!(fault instanceof Error && fault.message.startsWith('NOSCRIPT'))) throw fault;
      ask();
      return this.connection.eval(text, options);
    }
  }

  /** Why a command failed: the reason why there is no connection, if there is none. */
  causeOf(fault: unknown): unknown {
    if (fault instanceof ErrorReply) return fault;
    return isWithoutConnection(fault) ? (this.#lastFault ?? fault) : fault;
  }

  close(): void {
    this.#isClosed = true;
    try {
      this.connection.destroy();
    } catch {
      // The connection was never open.
    }
  }

  #noteFault(fault: unknown): void {
    this.#lastFault = fault;
  }
}

const isWithoutConnection = (fault: unknown): boolean =>
  fault instanceof ClientOfflineError || fault instanceof ClientClosedError;
