/** The service in a sentence, for readers who do not know it: pages, the index and its example. */
export const PRODUCT =
  'News events, each with the prediction markets it affects, their prices, the expected effect and the reason for it.';
