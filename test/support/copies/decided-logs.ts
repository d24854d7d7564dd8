import type { ChangeLogs, LogPositions, LogsRead } from '../../../src/application/ports/change-logs.js';

/** The positions after the nth change of both logs. */
export const positionsAt = (n: number): LogPositions => ({
  accounts: { n, mark: 'aa'.repeat(8) },
  feed: { n, mark: 'bb'.repeat(8) },
});

/** An answer with no change but of the positions. */
export const changesTo = (positions: LogPositions, more: Partial<LogsRead> = {}): LogsRead =>
  ({ found: 'changes', accounts: [], feed: [], positions, isComplete: true, ...more }) as LogsRead;

type Call = {
  /** Null for a call of `newest`. */
  readonly after: LogPositions | null;
  readonly answer: (answer: LogsRead | LogPositions) => void;
  readonly fail: (fault: Error) => void;
};

/** Change logs whose answers a test decides. At first they answer at once, and have no change. */
export class DecidedLogs implements ChangeLogs {
  readonly calls: Call[] = [];
  isSlow = false;

  newest(): Promise<LogPositions> {
    return this.#called(null, positionsAt(0));
  }

  readAfter(positions: LogPositions): Promise<LogsRead> {
    return this.#called(positions, changesTo(positions));
  }

  /** The last call. */
  get last(): Call {
    const call = this.calls.at(-1);
    if (call === undefined) throw new Error('nothing was called');
    return call;
  }

  #called<Answer extends LogsRead | LogPositions>(after: LogPositions | null, none: Answer): Promise<Answer> {
    return new Promise<Answer>((done, fail) => {
      this.calls.push({ after, answer: (answer) => done(answer as Answer), fail });
      if (!this.isSlow) done(none);
    });
  }
}
