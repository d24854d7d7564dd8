/** The service in a sentence, for readers who do not know it: pages, the index and its example. */
export const PRODUCT =
  'News events, each with the prediction markets it affects, their prices, the expected effect and the reason for it.';

/** Who writes the assessments of an item, for pages and files: the service only checks their form. */
export const AUTHORSHIP =
  'The publisher of the feed writes the effect, the relevance and the rationale for each market. Oddswire passes them on unchanged and does not check whether they are right. The feed does not state whether a person or a program wrote them.';
