import { QUERY_LENGTH_MAX } from './document-search.js';

export const SEARCH_PATH = '/docs/search';

/** `typed`: what the field shows. */
export const SearchForm = ({ typed = '' }: { readonly typed?: string }) => (
  <search>
    <form class="docs-search" method="get" action={SEARCH_PATH}>
      <label class="hidden" for="docs-search">
        Search the documentation
      </label>
      <input
        id="docs-search"
        name="q"
        type="search"
        required
        maxLength={QUERY_LENGTH_MAX}
        placeholder="Search the documentation"
        autocomplete="off"
        value={typed}
      />
      <button type="submit">Search</button>
    </form>
  </search>
);
