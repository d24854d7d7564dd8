import type { IncomingMessage } from 'node:http';
import type { Refusal } from '../../../domain/refusal.js';
import { problem, problemContext, refusalProblem, writeProblem } from '../answer/problem.js';
import { requestKey } from '../keys/request-key.js';
import type { SentKeys } from '../keys/sent-keys.js';
import type { AdmitSentKey } from '../limits/admit-sent-key.js';
import { gatewayProblem } from '../limits/gateway.js';
import { answerOverloaded } from '../limits/overload.js';
import { rangesOf } from '../listener/client-address.js';
import { readHeaders } from '../read-headers.js';
import type { Context, RouteHandler } from '../state.js';
import { cutResponse } from './cut-response.js';
import { TEST_CODES, type TestDetails, testProblem } from './test-problems.js';

/** The header of the sandbox that asks for an answer to test a client with (D77). */
export const TEST_HEADER = 'Oddswire-Test';

/** Answers that are no problem: the real one later, or only half of it. */
const TEST_BEHAVIOURS = ['slow', 'cut'] as const;
export const TEST_VALUES: readonly string[] = [...TEST_CODES, ...TEST_BEHAVIOURS];

const SLOW_MS = 5_000;
/** An open stream is cut after this time. */
const CUT_MS = 1_000;

type Test =
  | { readonly is: (typeof TEST_BEHAVIOURS)[number] }
  | { readonly is: 'problem'; readonly code: (typeof TEST_CODES)[number] }
  | { readonly is: 'invalid'; readonly refusal: Refusal<'invalid_parameter'> };

type Parts = {
  /** Those of customers: a sandbox key is none of them. */
  readonly sentKeys: SentKeys;
  readonly sandboxSentKeys: SentKeys;
  readonly admit: AdmitSentKey;
  /** Reads the changes up to now. */
  readonly follow: () => void;
  readonly details: () => Omit<TestDetails, 'address'>;
  readonly pause: (ms: number) => Promise<void>;
};

const ONLY = [
  'A sandbox key opens `/pm/v2/news`, `/pm/v2/stream`, `/pm/v2/changes` and `/pm/v2/history`.',
  'Use a key of your account for this path.',
].join(' ');

/** Sends requests with a sandbox key to routes of their own. The routes of customers never see such a request. */
export class SandboxDoor {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Whether the key of a request is one of the sandbox, by its text. Keys of customers are recognised first. */
  readonly isInSandbox = (request: IncomingMessage): boolean => {
    const { sentKeys, sandboxSentKeys } = this.#parts;
    if (requestKey(sentKeys, request) !== 'malformed') return false;
    const sent = requestKey(sandboxSentKeys, request);
    return sent !== null && sent !== 'malformed';
  };

  /** A route with another one for requests with a sandbox key. */
  route(real: RouteHandler, inSandbox: RouteHandler): RouteHandler {
    return async (ctx, next) => {
      if (!this.isInSandbox(ctx.req)) return real(ctx, next);
      this.#parts.follow();
      try {
        await this.#answer(ctx, () => inSandbox(ctx, next));
      } finally {
        ctx.state.key = null; // Nothing of it is in request logs and quota mails (D138).
      }
    };
  }

  /** A route that sandbox keys do not open. */
  readonly refused: RouteHandler = async (ctx) => {
    writeProblem(ctx, problem('insufficient_scope', problemContext(ctx), { detail: ONLY }));
  };

  async #answer(ctx: Context, answer: () => Promise<unknown>): Promise<void> {
    const test = readTest(ctx.get(TEST_HEADER));
    if (test === null) return void (await answer());
    const { admit, sandboxSentKeys, details, pause } = this.#parts;
    const sent = requestKey(sandboxSentKeys, ctx.req);
    const admission = await admit(sent, rangesOf(ctx.state.address), costOf(test));
    if (admission === 'overloaded') return answerOverloaded(ctx);
    ctx.state.limits = admission.limits;
    const context = problemContext(ctx);
    if (!admission.admitted) {
      const carried = { headers: readHeaders(ctx.req.rawHeaders), querystring: ctx.querystring };
      return writeProblem(ctx, gatewayProblem(admission.refusal, context, carried));
    }
    switch (test.is) {
      case 'invalid':
        return writeProblem(ctx, refusalProblem(test.refusal, context));
      case 'problem': {
        const asked = { ...details(), address: ctx.state.address };
        return writeProblem(ctx, testProblem(test.code, asked, context));
      }
      case 'slow':
        await pause(SLOW_MS);
        return void (await answer());
      case 'cut':
        return this.#cut(ctx, answer);
    }
  }

  async #cut(ctx: Context, answer: () => Promise<unknown>): Promise<void> {
    const { socket } = ctx.req;
    cutResponse(ctx.res);
    await answer();
    // A stream has taken its connection over.
    if (ctx.respond === false) void this.#parts.pause(CUT_MS).then(() => socket.destroy());
  }
}

/** A problem uses a permit, as the answer would that the client expects. The others take theirs when they are answered. */
const costOf = ({ is }: Test): 0 | 1 => (is === 'slow' || is === 'cut' ? 0 : 1);

/** What the header asks for; null if it is absent. */
function readTest(value: string): Test | null {
  if (value === '') return null;
  const code = TEST_CODES.find((known) => known === value);
  if (code !== undefined) return { is: 'problem', code };
  const is = TEST_BEHAVIOURS.find((known) => known === value);
  if (is !== undefined) return { is };
  const message = `must be one of ${TEST_VALUES.join(', ')}`;
  const faults = [{ parameter: TEST_HEADER, code: 'unknown', message }] as const;
  return { is: 'invalid', refusal: { refused: 'invalid_parameter', faults } };
}
