import { isOutOfDescriptors, PublicationRefused, Unavailable } from '../../../application/unavailable.js';
import type { Middleware } from '../state.js';
import {
  answerProblem,
  type Problem,
  type ProblemContext,
  problem,
  problemContext,
  writeProblem,
} from './problem.js';

export type ReportFault = (fault: unknown, requestId: string) => void;

/** Reports a thrown fault and answers with a problem document. Headers that were set before are kept (T2). */
export const faults =
  (report: ReportFault): Middleware =>
  async (ctx, next) => {
    try {
      await next();
    } catch (fault) {
      if (ctx.req.destroyed && !ctx.req.complete) {
        answerProblem(ctx, 'bad_request'); // The client disconnected while it was sending; nobody reads this.
        return;
      }
      report(fault, ctx.state.requestId);
      writeProblem(ctx, faultProblem(fault, problemContext(ctx)));
    }
  };

export function faultProblem(fault: unknown, request: ProblemContext): Problem {
  if (isOutOfDescriptors(fault)) return problem('overloaded', request);
  if (fault instanceof PublicationRefused) return problem('unavailable', request, { detail: fault.detail });
  return problem(fault instanceof Unavailable ? 'unavailable' : 'internal', request);
}
