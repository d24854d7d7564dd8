import { type ProblemReferences, serviceLinks } from '../../../src/adapters/http/answer/service-links.js';

/** What the problem documents of a listener refer to, at an address of the tests. */
export const REFERENCES: ProblemReferences = {
  support: 'support@oddswire.test',
  docsUrl: () => 'https://api.oddswire.test/docs',
  planUrl: () => 'https://api.oddswire.test/dashboard/subscription',
  links: serviceLinks('public'),
};
