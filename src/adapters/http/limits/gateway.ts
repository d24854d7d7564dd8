import type { IncomingMessage } from 'node:http';
import type { Admission, AdmitRequest, Admitted } from '../../../application/limits/admit-request.js';
import { refunded } from '../../../application/limits/refund.js';
import type { Counters } from '../../../application/ports/limits/counters.js';
import type { KeyFormat } from '../../../domain/keys/key-value.js';
import { answerRefusal, statusOf } from '../answer/problem.js';
import type { ConnectionHashes } from '../keys/connection-hashes.js';
import { credentialOf } from '../keys/credential.js';
import type { Bulkhead } from '../listener/bulkhead.js';
import { rangesOf } from '../listener/client-address.js';
import type { Connections } from '../listener/connections.js';
import type { Context, Middleware } from '../state.js';
import { answerOverloaded } from './overload.js';

/** What became of a request before it came here. */
export type HandedOver = {
  /** What was decided of it: its place is taken already. Null where nothing could be decided. */
  readonly admission: Admission | null;
  /** In milliseconds of `performance.now()`. */
  readonly startedAt: number;
};

type Admitting = {
  /** How many places a request takes. */
  readonly takes: 0 | 1;
  readonly admitRequest: AdmitRequest;
  readonly keyFormat: KeyFormat;
  readonly queryKeyAllowed: boolean;
  /** Requests that are not admitted yet: a key that nobody has may wait for its look-up too. */
  readonly admitting: Bulkhead;
  readonly hashes: ConnectionHashes;
};

/** Contract section 5.5: nobody passes without a key that may be used, within its limits. */
export const gateway =
  (
    parts: Admitting & {
      readonly counters: Counters;
      readonly handedOver: WeakMap<IncomingMessage, HandedOver>;
      readonly connections: Connections;
    },
  ): Middleware =>
  async (ctx, next) => {
    const admission = parts.handedOver.get(ctx.req)?.admission ?? (await admissionOf(ctx, parts));
    if (admission === 'overloaded') return answerOverloaded(ctx);
    ctx.state.limits = admission.limits;
    ctx.state.key = admission.key;
    if (admission.admitted) {
      parts.connections.prove(ctx.req.socket);
      ctx.state.plan = admission.plan;
      await served(ctx, next, admission, parts.counters);
    } else {
      answerRefusal(ctx, admission.refusal);
      if (ctx.status === 401) challenge(ctx, admission.refusal.refused !== 'key_missing');
      else if (admission.key !== null) parts.connections.prove(ctx.req.socket);
    }
  };

async function admissionOf(ctx: Context, parts: Admitting): Promise<Admission | 'overloaded'> {
  const { group: address, network, subnet } = rangesOf(ctx.state.address);
  const credential = credentialOf(ctx, parts.keyFormat, parts.queryKeyAllowed);
  const sent = credential === null ? null : parts.hashes.of(ctx.req.socket, credential, parts.keyFormat);
  // A key that was admitted before exists: its look-up is nobody's guess.
  const bulkhead = sent?.wasAdmitted === true ? null : parts.admitting;
  if (bulkhead?.enter(subnet) === false) return 'overloaded';
  try {
    const caller = { credential, address, network, ...(sent !== null && { hash: sent.hash }) };
    const admission = await parts.admitRequest(caller, parts.takes);
    if (sent !== null) parts.hashes.decided(sent, admission);
    return admission;
  } finally {
    bulkhead?.leave(subnet);
  }
}

/** Lets the request through; one that changed nothing for the caller, or failed, costs nothing (D34). */
async function served(
  ctx: Context,
  next: () => Promise<unknown>,
  admitted: Admitted,
  counters: Counters,
): Promise<void> {
  const refund = async () => {
    ctx.state.limits = await refunded(admitted, counters);
  };
  try {
    await next();
  } catch (fault) {
    await refund();
    throw fault;
  }
  if (ctx.status === 304 || ctx.status >= statusOf('internal')) await refund();
}

/** D37. */
function challenge(ctx: Context, keySent: boolean): void {
  ctx.set('WWW-Authenticate', `Bearer realm="oddswire"${keySent ? ', error="invalid_token"' : ''}`);
}
