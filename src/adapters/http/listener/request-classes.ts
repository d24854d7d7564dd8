import type { Middleware } from '../state.js';
import { Bulkhead } from './bulkhead.js';
import { type ReceivedBodyLimits, receiveBody } from './received-body.js';
import { UnfinishedBodies } from './unfinished-bodies.js';

const KILOBYTE = 1_024;

/**
 * Classes of requests of the public listener. Each class has its own limits (D118), so that an overload of one class
 * does not affect another. `working` is the limit on requests in progress, `unfinished` the limit on bodies that have
 * not arrived yet.
 */
// biome-ignore format: a table is read by its columns
const CLASSES = {
  /** Paths without a key: `/status`, `/openapi.json`. */
  open:            { working: 250, unfinished: 0,   bytesMax: 0,              drainedMax: 0 },
  /** A larger event is read up to 1 MB before it is refused (D29). */
  webhooks:        { working: 250, unfinished: 256, bytesMax: 256 * KILOBYTE, drainedMax: 1_024 * KILOBYTE },
  /** Calls of tools by agents, after their key was verified. */
  mcp:             { working: 250, unfinished: 256, bytesMax: 64 * KILOBYTE,  drainedMax: 1_024 * KILOBYTE },
  dashboard:       { working: 250, unfinished: 256, bytesMax: 16 * KILOBYTE,  drainedMax: 64 * KILOBYTE },
  /** A corrected item is a form field, with about half as many bytes again as its JSON. */
  operatorConsole: { working: 50,  unfinished: 64,  bytesMax: 256 * KILOBYTE, drainedMax: 256 * KILOBYTE },
} as const satisfies Record<string, { readonly working: number; readonly unfinished: number } & ReceivedBodyLimits>;

/** The share of a limit that one subnet can use. */
const SHARE_OF_ONE_SUBNET = { working: 1 / 2, unfinished: 1 / 4 } as const;

export type RequestClass = {
  readonly bulkhead: Bulkhead;
  /** Runs before the bulkhead, because a request counts as in progress only after its body has arrived. */
  readonly receiveBody: Middleware;
};

export type RequestClasses = Readonly<Record<keyof typeof CLASSES, RequestClass>> & {
  /** Requests with a key that is not verified yet and may not exist. */
  readonly admitting: Bulkhead;
  /** Requests that were admitted. */
  readonly admitted: Bulkhead;
};

/** `requestsMax` limits requests with a key; `bodyMs` is the time that one body may take. */
export function requestClasses(settings: {
  readonly requestsMax: number;
  readonly bodyMs: number;
}): RequestClasses {
  const { requestsMax, bodyMs } = settings;
  const classOf = (name: keyof typeof CLASSES): RequestClass => {
    const { working, unfinished, bytesMax, drainedMax } = CLASSES[name];
    const bodies = new UnfinishedBodies({
      max: unfinished,
      perGroupMax: unfinished * SHARE_OF_ONE_SUBNET.unfinished,
      deadlineMs: bodyMs,
    });
    return {
      bulkhead: shared(Math.min(working, requestsMax)),
      receiveBody: receiveBody({ unfinished: bodies, bytesMax, drainedMax }),
    };
  };
  return {
    admitting: shared(requestsMax),
    admitted: new Bulkhead({ max: requestsMax }),
    open: classOf('open'),
    webhooks: classOf('webhooks'),
    mcp: classOf('mcp'),
    dashboard: classOf('dashboard'),
    operatorConsole: classOf('operatorConsole'),
  };
}

const shared = (max: number): Bulkhead =>
  new Bulkhead({ max, perGroupMax: Math.ceil(max * SHARE_OF_ONE_SUBNET.working) });
