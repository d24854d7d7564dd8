import type { IncomingMessage } from 'node:http';
import { problem, problemContext, refusalProblem, writeProblem } from '../answer/problem.js';
import { requestKey } from '../keys/request-key.js';
import type { SentKeys } from '../keys/sent-keys.js';
import type { AdmitSentKey } from '../limits/admit-sent-key.js';
import { gatewayProblem } from '../limits/gateway.js';
import { answerOverloaded } from '../limits/overload.js';
import { rangesOf } from '../listener/client-address.js';
import { readHeaders } from '../read-headers.js';
import type { Context, RouteHandler } from '../state.js';
import { type AskedTest, readTest, TEST_HEADER } from './asked-test.js';
import { cutResponse } from './cut-response.js';
import { type TestDetails, testProblem } from './test-problems.js';

const SLOW_MS = 5_000;
/** An open stream is cut after this time. */
const CUT_MS = 1_000;

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

  /** A route with another one for the customers: sandbox keys do not open it. It costs a request, and an unknown key is 401 (D33). */
  unlessInSandbox(real: RouteHandler): RouteHandler {
    return async (ctx, next) => {
      if (!this.isInSandbox(ctx.req)) return real(ctx, next);
      try {
        if (!(await this.#admit(ctx, 1))) return;
        writeProblem(ctx, problem('insufficient_scope', problemContext(ctx), { detail: ONLY }));
      } finally {
        ctx.state.key = null;
      }
    };
  }

  /** False if the request is refused: the answer is written. */
  async #admit(ctx: Context, cost: 0 | 1): Promise<boolean> {
    const { admit, sandboxSentKeys } = this.#parts;
    const admission = await admit(requestKey(sandboxSentKeys, ctx.req), rangesOf(ctx.state.address), cost);
    if (admission === 'overloaded') {
      answerOverloaded(ctx);
      return false;
    }
    ctx.state.limits = admission.limits;
    if (admission.admitted) return true;
    const carried = { headers: readHeaders(ctx.req.rawHeaders), querystring: ctx.querystring };
    writeProblem(ctx, gatewayProblem(admission.refusal, problemContext(ctx), carried));
    return false;
  }

  async #answer(ctx: Context, answer: () => Promise<unknown>): Promise<void> {
    const test = readTest(ctx.get(TEST_HEADER));
    if (test === null) return void (await answer());
    if (!(await this.#admit(ctx, costOf(test)))) return;
    const { details, pause } = this.#parts;
    const context = problemContext(ctx);
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

/** A problem uses a permit, as the answer would that the client expects, and so does waiting. The real answer takes its own. */
const costOf = ({ is }: AskedTest): 0 | 1 => (is === 'cut' ? 0 : 1);
