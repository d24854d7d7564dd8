import type { PublishMode } from '../../domain/feed/assign-scored-at.js';
import type { Fault } from '../../domain/refusal.js';
import type { PublisherToken } from './publisher-token.js';

/** The result of a published body; `line` counts from 1 within the body (D30). */
export type Report = {
  readonly accepted: number;
  /** Absent in the answers of an earlier version. */
  readonly unchanged?: number;
  readonly rejected: readonly RejectedLine[];
  /** Present in the report of a dry run. */
  readonly dry_run?: true;
};
export type RejectedLine = {
  readonly line: number;
  readonly id: string | null;
  readonly errors: readonly Fault[];
};

/**
 * Why a body was not published. `isUnavailable`: the service did not answer, or could not. `isTransient`: a retry may succeed, after
 * `waitMs` if that is given.
 */
export type Failure = {
  readonly failed: string;
  readonly isUnavailable: boolean;
  readonly isTransient: boolean;
  readonly waitMs?: number;
};

/** Where bodies are posted. `isCheck`: as a dry run (D140). */
type Target = {
  readonly url: string;
  readonly token: PublisherToken;
  readonly mode: PublishMode;
  readonly isCheck: boolean;
};

export type Post = (body: Buffer) => Promise<Report | Failure>;

/** Longer than any batch takes, and short enough to detect a service that hangs. */
const DEADLINE_MS = 60_000;

const BUSY = 'the service is busy or cannot reach its database';
const TRANSIENT: Readonly<Record<number, string>> = {
  429: 'the service is busy, or this address sent too many wrong tokens',
  502: BUSY,
  503: BUSY,
  504: BUSY,
};

/** Publishes a body of NDJSON through the internal listener (D30). */
export function internalPost(target: Target, send: typeof fetch = fetch): Post {
  const { url, token, mode, isCheck } = target;
  const address = `${url}/internal/v1/news?mode=${mode}${isCheck ? '&dry_run=true' : ''}`;
  return async (body) => {
    try {
      const response = await send(address, {
        method: 'POST',
        headers: { 'Content-Type': 'application/x-ndjson', Authorization: `Bearer ${token.value}` },
        body: new Uint8Array(body),
        redirect: 'manual',
        signal: AbortSignal.timeout(DEADLINE_MS),
      });
      // Every response is read, because a connection with an unread response cannot be reused.
      const text = await response.text();
      // 422: every line was rejected.
      return response.status === 200 || response.status === 422
        ? reportOf(target, response.status, text)
        : failureOf(url, response, token);
    } catch (fault) {
      return {
        failed: `${url} does not answer (${reasonOf(fault)})`,
        isUnavailable: true,
        isTransient: true,
      };
    }
  };
}

function reportOf({ url, isCheck }: Target, status: number, text: string): Report | Failure {
  const report = readReport(text);
  if (report === undefined)
    return refused(`${url} answered ${status} without a publishing report; ${CHECK_URL}`);
  if (!isCheck || report.dry_run === true) return report;
  // The first request has no lines. An earlier version ignores the parameter, and publishes lines that a balancer sends to it later.
  const published = report.accepted > 0 ? `, and has published ${report.accepted} items of the file` : '';
  return refused(
    `${url} is of a version that cannot check without publishing${published}; update the service`,
  );
}

const refused = (failed: string): Failure => ({ failed, isUnavailable: false, isTransient: false });

function readReport(text: string): Report | undefined {
  try {
    const report = JSON.parse(text) as Partial<Report> | null;
    return typeof report?.accepted === 'number' && Array.isArray(report.rejected)
      ? (report as Report)
      : undefined;
  } catch {
    return undefined;
  }
}

const CHECK_URL = 'set INTERNAL_URL to the internal listener';

function failureOf(url: string, { status, headers }: Response, token: PublisherToken): Failure {
  const cause = TRANSIENT[status];
  if (cause !== undefined) {
    const seconds = Number(headers.get('Retry-After') ?? Number.NaN);
    return {
      failed: `${url} answered ${status}: ${cause}`,
      isUnavailable: true,
      isTransient: true,
      ...(seconds >= 0 && { waitMs: seconds * 1_000 }),
    };
  }
  const meaning = MEANINGS[status]?.(token.from);
  return {
    failed: `${url} answered ${status}${meaning === undefined ? '' : `: ${meaning}`}`,
    isUnavailable: status >= 500,
    isTransient: false,
  };
}

/** For each status that a retry does not change: its cause, and what to do. */
const MEANINGS: Readonly<Record<number, (tokenFrom: string) => string>> = {
  400: () =>
    'the service may not accept the host name in INTERNAL_URL; add it to INTERNAL_HOSTS of the service, or use an IP address',
  401: (from) => `wrong token in ${from}; use the publisher token of the service`,
  403: (from) => `the token in ${from} may not publish; use the publisher token, not the operator token`,
  404: () => `this is not the internal listener; ${CHECK_URL}`,
  405: () => `this is not the internal listener; ${CHECK_URL}`,
  413: () => 'batches of 4 MB are refused; raise the body limit of the proxy in front of the service',
  415: () => 'application/x-ndjson is refused; check INTERNAL_URL, and that no proxy changes requests',
  500: () => 'internal error of the service; see its log',
};

/** The reason is nested in the error of `fetch`. If several addresses were tried, the reason of the first is enough. */
function reasonOf(fault: unknown): string {
  if (!(fault instanceof Error)) return 'no reason given';
  if (fault.name === 'TimeoutError') return `no answer within ${DEADLINE_MS / 1_000} s`;
  const { cause = fault } = fault;
  const first = cause instanceof AggregateError ? cause.errors[0] : cause;
  const { code, message } = first as { readonly code?: string; readonly message?: string };
  return code ?? message ?? 'no reason given';
}
