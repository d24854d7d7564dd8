import type { ComponentChildren } from 'preact';
import { newDestinationPath } from '../destinations/destination-page.js';
import { SUGGESTIONS_PATH } from '../markets/market-paths.js';
import { capitalized } from '../page/state-text.js';
import { inlineText } from './code-text.js';
import { FEED_PATH, feedPath, withoutFilter } from './feed-address.js';

/** The codes that the documentation names. Publishers may send others, which an address can have. */
// biome-ignore format: a table is read by its columns
const CHOICES = [
  { name: 'source_tier', any: 'Any tier',      values: ['t1', 't2', 't3'] },
  { name: 'relevance',   any: 'Any relevance', values: ['high', 'high,medium', 'medium', 'low'] },
  { name: 'effect',      any: 'Any effect',    values: ['supports', 'weakens', 'neutral'] },
] as const;

/** Filters that have a field. Others stay in the address. */
const WITH_FIELD: ReadonlySet<string> = new Set(['q', 'category', ...CHOICES.map(({ name }) => name)]);

type FormProps = {
  readonly filter: URLSearchParams;
  /** Categories of the items on the page. */
  readonly categories: readonly string[];
  /** The menu with programs. */
  readonly children: ComponentChildren;
};

/** The filters of the feed, under the names of the API. A script submits the form when a choice changes. */
export const FilterForm = ({ filter, categories, children }: FormProps) => (
  <section class="filters" aria-label="Filters">
    <form method="get" action={FEED_PATH} data-submits>
      <label for="feed-words" class="hidden">
        Words, or a market
      </label>
      <input
        id="feed-words"
        name="q"
        type="search"
        value={filter.get('q') ?? ''}
        autocomplete="off"
        placeholder="Words, or a market"
        data-suggestions={SUGGESTIONS_PATH}
      />
      <label for="feed-category" class="hidden">
        Category
      </label>
      <input
        id="feed-category"
        name="category"
        value={filter.get('category') ?? ''}
        autocomplete="off"
        placeholder="Any category"
        list="categories"
      />
      <datalist id="categories">
        {categories.map((category) => (
          <option key={category} value={category} />
        ))}
      </datalist>
      {CHOICES.map((choice) => (
        <Choice key={choice.name} {...choice} value={filter.get(choice.name)} />
      ))}
      {[...filter]
        .filter(([name]) => !WITH_FIELD.has(name))
        .map(([name, value]) => (
          <input key={`${name} ${value}`} type="hidden" name={name} value={value} />
        ))}
      <button type="submit" class="plain">
        Apply
      </button>
    </form>
    {children}
  </section>
);

type ChoiceProps = (typeof CHOICES)[number] & { readonly value: string | null };

const Choice = ({ name, any, values, value }: ChoiceProps) => (
  <>
    <label for={`feed-${name}`} class="hidden">
      {capitalized(inlineText(name))}
    </label>
    <select id={`feed-${name}`} name={name}>
      <option value="">{any}</option>
      {[...new Set([...values, ...(value === null ? [] : [value])])].map((each) => (
        <option key={each} value={each} selected={each === value}>
          {capitalized(inlineText(each).replaceAll(',', ', '))}
        </option>
      ))}
    </select>
  </>
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
