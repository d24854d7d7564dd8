import type { Fault } from '../../../domain/refusal.js';
import { problemDocument, problemTable } from '../../http/answer/problem.js';
import { includesReader, type Readers } from '../../http/answer/readers.js';
import type { ProblemReferences } from '../../http/answer/service-links.js';
import { PROBLEM_CAUSES } from './problem-causes.js';

const fenced = (value: unknown): string => `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;

/** A problem document as an example. */
export const sampleProblem = (references: ProblemReferences): string => {
  const request = { instance: '/pm/v2/news', requestId: '3f0c2b9e-6a51-4d0b-9a57-1f2c7d1e8b42', references };
  const error: Fault = { parameter: 'limit', code: 'out_of_range', message: 'must be from 1 to 500' };
  return fenced(problemDocument('invalid_parameter', 400, request, { errors: [error] }));
};

/** Every code with its cause and its remedy, as Markdown. The heading of a code is the anchor of its `type`. */
export const problemEntries = (): string =>
  [
    ...entriesOf((readers) => includesReader(readers, 'customer')),
    '## Codes of the internal interface',
    'Publishers, operators and the payment processor get these codes. No call of a customer does.',
    ...entriesOf((readers) => !includesReader(readers, 'customer')),
  ].join('\n\n');

const entriesOf = (isShown: (readers: Readers) => boolean): readonly string[] =>
  problemTable().flatMap(({ code, status, title, readers }) => {
    const [cause, remedy] = PROBLEM_CAUSES[code];
    return isShown(readers)
      ? [`### \`${code}\``, `**${status}** ${title}`, `**Cause.** ${cause}`, `**Remedy.** ${remedy}`]
      : [];
  });
