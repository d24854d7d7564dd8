import type { ComponentChildren } from 'preact';
import { newDestinationPath } from '../destinations/destination-page.js';
import { SUGGESTIONS_PATH } from '../markets/market-paths.js';
import { inlineText } from './code-text.js';
import { FEED_PATH, feedPath, withoutFilter } from './feed-address.js';
import { CodeFields, WordsField, withoutField } from './filter-fields.js';

type FormProps = {
  readonly filter: URLSearchParams;
  /** Categories of the items on the page. */
  readonly categories: readonly string[];
  /** The menu with programs. */
  readonly children: ComponentChildren;
};

/**
 * The filters of the feed, under the names of the API. A script submits the form when a choice changes. All but the words
 * are folded on a phone, so that items are seen at once.
 */
export const FilterForm = ({ filter, categories, children }: FormProps) => (
  <section class="filters" aria-label="Filters">
    <form method="get" action={FEED_PATH} data-submits>
      <WordsField of="feed" filter={filter} areLabelsSeen={false} suggestions={SUGGESTIONS_PATH} />
      <details class="more-filters">
        <summary>Filters</summary>
        <CodeFields of="feed" filter={filter} areLabelsSeen={false} categories={categories} />
      </details>
      {[...withoutField(filter)].map(([name, value]) => (
        <input key={`${name} ${value}`} type="hidden" name={name} value={value} />
      ))}
      <button type="submit" class="plain">
        Apply
      </button>
    </form>
    {children}
  </section>
);

/** The filters that are on. Each one can be taken away. */
export const ActiveFilters = ({ filter }: { readonly filter: URLSearchParams }) =>
  filter.size === 0 ? null : (
    <p class="active-filters">
      {[...filter].map(([name, value]) => (
        <a key={`${name} ${value}`} class="chip" href={feedPath(withoutFilter(filter, name, value))}>
          <span class="hidden">Remove the filter </span>
          {inlineText(name)}: {value} <span aria-hidden="true">×</span>
        </a>
      ))}
      <a href={FEED_PATH}>Show all items</a>
      <a href={newDestinationPath(filter)}>Make this a destination</a>
    </p>
  );
