import type { PublishMode } from '../../domain/feed/assign-scored-at.js';
import type { Fault } from '../../domain/refusal.js';
import type { PublisherToken } from './publisher-token.js';

/** What became of a body; `line` is counted from 1 within it (D30). */
export type Report = { readonly accepted: number; readonly rejected: readonly RejectedLine[] };
export type RejectedLine = {
  readonly line: number;
  readonly id: string | null;
  readonly errors: readonly Fault[];
};

/** Why a body was not published. `again`: the same may go well later, after `waitMs` if it is given. */
export type Failure = { readonly failed: string; readonly again: boolean; readonly waitMs?: number };

export type Post = (body: Buffer) => Promise<Report | Failure>;

/** Longer than any batch takes, short enough to notice a service that hangs. */
const DEADLINE_MS = 60_000;

const AWAY = 'it is busy or cannot reach its stores';
/** What may go well later. */
const BUSY: Readonly<Record<number, string>> = {
  429: 'it is busy, or too many wrong tokens came from this address',
  502: AWAY,
  503: AWAY,
  504: AWAY,
};

/** Publishes a body of NDJSON through the internal interface (D30). */
export function internalPost(
  { url, token, mode }: { readonly url: string; readonly token: PublisherToken; readonly mode: PublishMode },
  fetchIt: typeof fetch = fetch,
): Post {
  const address = `${url}/internal/v1/news?mode=${mode}`;
  return async (body) => {
    try {
      const response = await fetchIt(address, {
        method: 'POST',
        headers: { 'Content-Type': 'application/x-ndjson', Authorization: `Bearer ${token.value}` },
        body: new Uint8Array(body),
        redirect: 'manual',
        signal: AbortSignal.timeout(DEADLINE_MS),
      });
      // Read whatever it is: a connection with an unread answer cannot be used again.
      const text = await response.text();
      return response.status === 200 ? reportOf(url, text) : failureOf(url, response, token);
    } catch (fault) {
      return { failed: `${url} does not answer (${reasonOf(fault)})`, again: true };
    }
  };
}

function reportOf(url: string, text: string): Report | Failure {
  const report = readReport(text);
  return report ?? { failed: `${url} answered 200, but no publishing report; ${RIGHT_URL}`, again: false };
}

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

const RIGHT_URL = 'INTERNAL_URL must be the address of the internal listener';

function failureOf(url: string, { status, headers }: Response, token: PublisherToken): Failure {
  const busy = BUSY[status];
  if (busy !== undefined) {
    const seconds = Number(headers.get('Retry-After') ?? Number.NaN);
    return {
      failed: `${url} answered ${status}: ${busy}`,
      again: true,
      ...(seconds >= 0 && { waitMs: seconds * 1_000 }),
    };
  }
  const meaning = MEANINGS[status]?.(token.from);
  return { failed: `${url} answered ${status}${meaning === undefined ? '' : `: ${meaning}`}`, again: false };
}

/** What an answer says about how the import was called. */
const MEANINGS: Readonly<Record<number, (tokenFrom: string) => string>> = {
  400: () =>
    'it may not know the name in INTERNAL_URL; add that to its setting INTERNAL_HOSTS, or use an IP address',
  401: (from) => `it does not know the token of ${from}; use the publisher token the service runs with`,
  403: (from) => `the token of ${from} may not publish; use the publisher token, not the operator’s`,
  404: () => `nothing is published there; ${RIGHT_URL}`,
  405: () => `nothing is published there; ${RIGHT_URL}`,
  413: () => 'it does not take batches of 4 MB; raise the limit of what stands before the service',
  415: () =>
    'it does not take application/x-ndjson; is this the right service, or does a proxy change requests?',
  500: () => 'it made a mistake; its log says more',
};

/** `fetch` hides the reason two levels down; of several addresses that were tried, the first tells enough. */
function reasonOf(fault: unknown): string {
  if (!(fault instanceof Error)) return 'no reason given';
  if (fault.name === 'TimeoutError') return `nothing within ${DEADLINE_MS / 1_000} s`;
  const { cause = fault } = fault;
  const first = cause instanceof AggregateError ? cause.errors[0] : cause;
  const { code, message } = first as { readonly code?: string; readonly message?: string };
  return code ?? message ?? 'no reason given';
}
