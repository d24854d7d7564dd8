import type { Admitted } from '../../../application/limits/admit-request.js';
import { isFreeFault, type Refund } from '../../../application/limits/refund.js';
import type { KeyId } from '../../../domain/keys/api-key.js';
import type { Limit } from '../../../domain/limits/rate-limit.js';
import { faultProblem, type ReportFault } from '../answer/faults.js';
import { type Problem, type ProblemContext, problem } from '../answer/problem.js';
import type { SentCredential } from '../keys/sent-keys.js';
import type { AddressRanges } from '../listener/client-address.js';
import type { AdmitSentKey } from './admit-sent-key.js';
import { gatewayProblem } from './gateway.js';

export type PaidAnswerParts = {
  readonly admitSentKey: AdmitSentKey;
  readonly refund: Refund;
  readonly report: ReportFault;
};

/** A call of a caller that is no HTTP response of its own. */
export type PaidCall = {
  readonly querystring: string;
  readonly sent: SentCredential;
  readonly address: AddressRanges;
  readonly context: ProblemContext;
};

/** JSON, or why there is none; with what the headers and the usage of the key need. */
export type PaidAnswer = {
  readonly key: KeyId | null;
  /** Null: no key is known, so that the limits are those of the client address. */
  readonly limits: readonly Limit[] | null;
  readonly answer: Buffer | Problem;
};

/** What was read for an admitted call. A free answer gives the permit back. */
export type PaidRead = { readonly answer: Buffer | Problem; readonly isFree: boolean };

/** Takes one permit for a call after the gateway checks (contract section 5.5), and reads its answer. Thrown errors become problems. */
export async function paidAnswer(
  parts: PaidAnswerParts,
  { sent, address, context }: PaidCall,
  read: (admitted: Admitted) => Promise<PaidRead>,
): Promise<PaidAnswer> {
  const failed = (fault: unknown): Problem => {
    parts.report(fault, context.requestId);
    return faultProblem(fault, context);
  };
  try {
    const admission = await parts.admitSentKey(sent, address, 1);
    if (admission === 'overloaded')
      return { key: null, limits: null, answer: problem('overloaded', context) };
    const { key, limits } = admission;
    if (!admission.admitted) return { key, limits, answer: gatewayProblem(admission.refusal, context, null) };
    const { answer, isFree } = await read(admission).catch((fault: unknown) => ({
      answer: failed(fault),
      isFree: isFreeFault(fault),
    }));
    return { key, limits: isFree ? await parts.refund(admission) : limits, answer };
  } catch (fault) {
    return { key: null, limits: null, answer: failed(fault) };
  }
}
