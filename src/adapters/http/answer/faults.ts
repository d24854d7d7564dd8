import { Unavailable } from '../../../application/unavailable.js';
import type { Middleware } from '../state.js';
import { answerProblem, type Problem, problem, type Told, toldOf, writeProblem } from './problem.js';

export type ReportFault = (fault: unknown, requestId: string) => void;

/** A fault becomes a problem document and is reported; headers set so far stay (T2). */
export const faults =
  (report: ReportFault): Middleware =>
  async (ctx, next) => {
    try {
      await next();
    } catch (fault) {
      if (ctx.req.destroyed && !ctx.req.complete) {
        answerProblem(ctx, 'bad_request'); // The caller went away while sending; nobody reads this.
        return;
      }
      report(fault, ctx.state.requestId);
      writeProblem(ctx, faultProblem(fault, toldOf(ctx)));
    }
  };

export const faultProblem = (fault: unknown, request: Told): Problem =>
  problem(fault instanceof Unavailable ? 'unavailable' : 'internal', request);
