import { problemCodes } from '../../http/answer/problem.js';
import { PROBLEM_CAUSES } from './problem-causes.js';

/** What a customer does about a problem, as text without links and marks; null for a code that customers do not get. */
export function plainRemedy(code: string): string | null {
  const known = problemCodes('customer').find((each) => each === code);
  if (known === undefined) return null;
  const [, remedy] = PROBLEM_CAUSES[known];
  return remedy.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll(/[`*]/g, '');
}
