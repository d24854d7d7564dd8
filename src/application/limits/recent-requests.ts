import type { KeyId } from '../../domain/keys/api-key.js';
import {
  isFailed,
  isKept,
  type LoggedRequest,
  REQUESTS_PER_WRITE,
  requestsSince,
  requestsToWrite,
} from '../../domain/limits/request-log.js';
import type { Clock } from '../ports/clock.js';
import type { RequestLogs } from '../ports/limits/request-logs.js';
import { unlessUnavailable } from '../unavailable.js';

type Waiting = { readonly requests: LoggedRequest[]; readonly ofKey: Map<KeyId, number> };

const nothing = (): Waiting => ({ requests: [], ofKey: new Map() });

/**
 * The request log of owners (D74). Answered requests wait in memory for the next write, so that no request waits. What does not fit,
 * and what cannot be written, is lost: the log is best effort.
 */
export class RecentRequests {
  readonly #requestLogs: RequestLogs;
  readonly #clock: Clock;
  #failed = nothing();
  #others = nothing();
  #writing: Promise<void> | null = null;

  constructor({ requestLogs, clock }: { readonly requestLogs: RequestLogs; readonly clock: Clock }) {
    this.#requestLogs = requestLogs;
    this.#clock = clock;
  }

  /** Whether `note` would keep a request. Runs for every answer: on a busy instance it mostly compares two numbers. */
  hasRoom(key: KeyId, status: number): boolean {
    const isFailure = isFailed(status);
    const [failed, others] = [this.#failed.requests.length, this.#others.requests.length];
    if (!isFailure && failed + others >= REQUESTS_PER_WRITE) return false;
    const ofKey = (isFailure ? this.#failed : this.#others).ofKey.get(key) ?? 0;
    return isKept(isFailure, { failed, others, ofKey });
  }

  /** Keeps a request for the next write, if there is room. */
  note(request: LoggedRequest): void {
    if (!this.hasRoom(request.key, request.status)) return;
    const { requests, ofKey } = isFailed(request.status) ? this.#failed : this.#others;
    requests.push(request);
    ofKey.set(request.key, (ofKey.get(request.key) ?? 0) + 1);
  }

  /** Writes what waits; one write at a time. What cannot be written is dropped. */
  write(): Promise<void> {
    this.#writing ??= this.#writeWaiting().finally(() => {
      this.#writing = null;
    });
    return this.#writing;
  }

  /** The last requests with these keys, newest first: those that this instance has answered, at once. */
  async of(keys: readonly KeyId[]): Promise<readonly LoggedRequest[]> {
    await this.write().catch(unlessUnavailable);
    return this.#requestLogs.of(keys, requestsSince(this.#clock()));
  }

  async #writeWaiting(): Promise<void> {
    const requests = requestsToWrite(this.#failed.requests, this.#others.requests);
    this.#failed = nothing();
    this.#others = nothing();
    if (requests.length > 0) await this.#requestLogs.add(requests);
  }
}
