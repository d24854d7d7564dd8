import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { HistoryBlock, HistoryRange, ReadHistory } from '../../../../application/feed/read-history.js';
import type { Admitted } from '../../../../application/limits/admit-request.js';
import type { CheckStream } from '../../../../application/limits/check-stream.js';
import type { TakeReplayPermit } from '../../../../application/limits/take-replay-permit.js';
import type { HeldSlot, StreamId, StreamSlots } from '../../../../application/ports/limits/stream-slots.js';
import type { MonotonicClock } from '../../../../application/ports/monotonic-clock.js';
import { Unavailable } from '../../../../application/unavailable.js';
import type { SubscriptionId } from '../../../../domain/billing/subscription.js';
import {
  EXPORT_CHUNK_BYTES,
  EXPORT_PATIENCE_MS,
  EXPORTS_MAX,
  type ExportEnd,
  isTooSlow,
} from '../../../../domain/feed/history/export-end.js';
import { blockBytes } from '../../../../domain/feed/history/history-limits.js';
import type { Position } from '../../../../domain/feed/position.js';
import type { StreamFilter } from '../../../../domain/feed/stream-filter.js';
import { setLimits } from '../../../../domain/keys/key-controls.js';
import type { KeyHash } from '../../../../domain/keys/key-value.js';
import { isRefusal, type Refusal } from '../../../../domain/refusal.js';
import { changeJson, progressJson } from './change-json.js';
import { ExportPace } from './export-pace.js';

const LINE_END = Buffer.from('\n');
/** How often it is looked within the patience whether an export waits for its client. */
const LOOKS = 10;

type Parts = {
  readonly readHistory: Pick<ReadHistory, 'blocks'>;
  readonly streamSlots: Pick<StreamSlots, 'open' | 'renew' | 'close'>;
  readonly checkStream: CheckStream;
  readonly takeReplayPermit: TakeReplayPermit;
  readonly monotonicClock: MonotonicClock;
  readonly isDraining: () => boolean;
  /** The requests that the process has read so far. */
  readonly requestsRead: () => number;
  /** How an export waits in a pause; with a timer if it is not given. */
  readonly wait?: (ms: number) => Promise<unknown>;
  readonly report: (fault: unknown) => void;
  readonly settings: { readonly renewalMs: number; readonly patienceMs?: number };
};

export type ExportRequest = {
  readonly admitted: Admitted;
  readonly hash: KeyHash;
  /** The client address. */
  readonly source: string;
  readonly range: HistoryRange;
  readonly filter: StreamFilter;
  /** Whether the client continues an export: it may then take the slot of its earlier connection. */
  readonly isResumed: boolean;
  /** The bytes that the connection of the client has accepted so far. */
  readonly accepted: () => number;
  /** The last line of an export that ends early. */
  readonly pausedLine: (position: Position, why: ExportEnd | Refusal) => string;
  /** The last line of an export that has its whole range. Without it, a cut at a line end would look like the end. */
  readonly completeLine: (position: Position) => string;
};

type Slot = Pick<HeldSlot, 'subscription' | 'key' | 'stream' | 'allowed'>;

type Running = { readonly beganAt: number; why: ExportEnd | null };

/** The exports of a process: the history as lines of JSON, until the range or the patience ends (D61). */
export class HistoryExports {
  readonly #parts: Parts;
  readonly #patienceMs: number;
  readonly #running = new Set<Running>();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#patienceMs = parts.settings.patienceMs ?? EXPORT_PATIENCE_MS;
  }

  /** The lines; or why there are none. An export that is refused here asks the longest one to end. */
  async open(request: ExportRequest): Promise<Readable | 'overloaded' | 'too_many_reads'> {
    if (this.#running.size >= EXPORTS_MAX) {
      this.#makeRoom();
      return 'overloaded';
    }
    const running: Running = { beganAt: this.#parts.monotonicClock(), why: null };
    this.#running.add(running);
    const slot = await this.#takeSlot(request).catch((fault: unknown) => {
      this.#running.delete(running);
      throw fault;
    });
    if (slot === null) {
      this.#running.delete(running);
      return 'too_many_reads';
    }
    const lines = Readable.from(this.#lines(request, running), {
      objectMode: false,
      highWaterMark: 1,
    });
    const stop = this.#watchClient(request, running, lines);
    const renewal = setInterval(() => void this.#renew(slot, running), this.#parts.settings.renewalMs);
    lines.once('close', () => {
      stop();
      clearInterval(renewal);
      this.#running.delete(running);
      this.#parts.streamSlots.close(slot).catch(this.#parts.report);
    });
    return lines;
  }

  #makeRoom(): void {
    const now = this.#parts.monotonicClock();
    const [oldest] = [...this.#running].filter(({ why }) => why === null);
    if (oldest !== undefined && now - oldest.beganAt >= this.#patienceMs) oldest.why = 'full';
  }

  /** A subscription has one export at a time, under a name that no stream has. */
  async #takeSlot({ admitted, isResumed }: ExportRequest): Promise<Slot | null> {
    const slot = {
      subscription: `export:${admitted.subscription}` as SubscriptionId,
      key: admitted.key,
      stream: randomUUID() as StreamId,
      allowed: 1,
    };
    const { granted } = await this.#parts.streamSlots.open({ ...slot, isResumed });
    return granted ? slot : null;
  }

  /** The slot is lost to a later export of the same key. */
  async #renew(slot: Slot, running: Running): Promise<void> {
    const secondsOpen = (this.#parts.monotonicClock() - running.beganAt) / 1_000;
    try {
      const lost = await this.#parts.streamSlots.renew(
        [{ ...slot, secondsOpen, secondsSincePong: null }],
        'some',
      );
      if (lost.length > 0) running.why = 'replaced';
    } catch (fault) {
      this.#parts.report(fault);
    }
  }

  /**
   * Ends an export whose client accepts too little. It gets the reason if it accepts what was sent before in the same time again;
   * otherwise its connection is closed. Returns a function that stops this.
   */
  #watchClient({ accepted }: ExportRequest, running: Running, lines: Readable): () => void {
    let before = accepted();
    let looks = 0;
    const timer = setInterval(() => {
      looks += 1;
      // It waits for the store, and not for its client.
      const isEmpty = lines.readableLength === 0;
      if (!isEmpty && looks < LOOKS) return;
      if (!isEmpty && isTooSlow(accepted() - before)) {
        if (running.why === 'slow') lines.destroy();
        running.why = 'slow';
      }
      [before, looks] = [accepted(), 0];
    }, this.#patienceMs / LOOKS);
    return () => clearInterval(timer);
  }

  async *#lines(request: ExportRequest, running: Running): AsyncGenerator<Buffer> {
    const sent = { position: request.range.after };
    const pace = new ExportPace(this.#parts.requestsRead, this.#parts.wait);
    const bytesMax = () => blockBytes(pace.hasReadRequests, request.filter);
    try {
      for await (const block of this.#parts.readHistory.blocks(request.range, request.filter, bytesMax)) {
        const why = yield* this.#linesOf(block, request, running, sent);
        if (why !== null) return yield pausedAt(request, sent.position, why);
        const goesOn = !block.isComplete && running.why === null && !this.#parts.isDraining();
        if (goesOn) await pace.pause(this.#running.size);
      }
      yield Buffer.from(`${request.completeLine(sent.position)}\n`);
    } catch (fault) {
      if (!(fault instanceof Unavailable)) throw fault;
      yield pausedAt(request, sent.position, 'unavailable');
    }
  }

  /** The lines of a block, or those until the export ends early, and why it does. `sent` follows them. */
  async *#linesOf(
    block: HistoryBlock,
    request: ExportRequest,
    running: Running,
    sent: { position: Position },
  ): AsyncGenerator<Buffer, ExportEnd | Refusal | null> {
    let { needsPermit } = block;
    for (const { lines, position } of chunksOf(block)) {
      const why = await this.#whyEnd(request, running, needsPermit);
      if (why !== null) return why;
      // A line can be longer than a chunk.
      for (let at = 0; at < lines.length; at += EXPORT_CHUNK_BYTES)
        yield lines.subarray(at, at + EXPORT_CHUNK_BYTES);
      sent.position = position;
      needsPermit = false;
      // Requests of others are answered between two chunks, however fast this client reads.
      await setImmediate();
    }
    return null;
  }

  async #whyEnd(
    { hash, source, admitted }: ExportRequest,
    running: Running,
    needsPermit: boolean,
  ): Promise<ExportEnd | Refusal | null> {
    if (running.why !== null) return running.why;
    if (this.#parts.isDraining()) return 'restart';
    const access = await this.#parts.checkStream(hash, source);
    if (isRefusal(access)) return access;
    if (!needsPermit) return null;
    const { subscription: id, plan, key } = admitted;
    const own = access.controls === null ? null : setLimits(access.controls);
    const permit = await this.#parts.takeReplayPermit({ id, plan }, key, own);
    if (permit === 'granted') return null;
    return isRefusal(permit)
      ? permit
      : { refused: 'rate_limited', violated: permit.violated, retryAfterSeconds: permit.waitSeconds };
  }
}

const pausedAt = ({ pausedLine }: ExportRequest, position: Position, why: ExportEnd | Refusal): Buffer =>
  Buffer.from(`${pausedLine(position, why)}\n`);

/** Lines, and where they end. */
type Chunk = { readonly lines: Buffer; readonly position: Position };

/** The lines of a block, many in one chunk. The last chunk ends where the block does, and can be empty. */
function* chunksOf({ lines, position }: HistoryBlock): Generator<Chunk> {
  let pieces: Buffer[] = [];
  let bytes = 0;
  let last = position;
  for (const line of lines) {
    const own = 'progress' in line ? [progressJson(line)] : changeJson(line);
    const size = own.reduce((sum, { length }) => sum + length, LINE_END.length);
    if (bytes > 0 && bytes + size > EXPORT_CHUNK_BYTES) {
      yield { lines: Buffer.concat(pieces), position: last };
      [pieces, bytes] = [[], 0];
    }
    pieces.push(...own, LINE_END);
    bytes += size;
    last = 'progress' in line ? line.progress : line.change.position;
  }
  yield { lines: Buffer.concat(pieces), position };
}
