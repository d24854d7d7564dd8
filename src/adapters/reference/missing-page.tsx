import { PageFrame } from './page-frame.js';

/** The page for an address below `/docs` that has no chapter. */
export const MissingPage = () => (
  <PageFrame
    title="Page not found · Oddswire documentation"
    summary="This page does not exist."
    active={null}
  >
    <main id="content" class="front">
      <h1>Page not found</h1>
      <p>
        The documentation has no page at this address. Paths are exact: upper and lower case count, and so
        does a slash at the end.
      </p>
      <p class="actions">
        <a class="button" href="/docs">
          All chapters
        </a>
        <a href="/docs/reference">API reference</a>
      </p>
    </main>
  </PageFrame>
);
