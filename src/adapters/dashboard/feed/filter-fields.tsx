import type { ComponentChildren } from 'preact';
import { capitalized } from '../page/state-text.js';
import { inlineText } from './code-text.js';

/** The codes that the documentation names. Publishers may send others, which a filter can have. */
// biome-ignore format: a table is read by its columns
const CHOICES = [
  { name: 'source_tier', any: 'Any tier',      values: ['t1', 't2', 't3'] },
  { name: 'relevance',   any: 'Any relevance', values: ['high', 'high,medium', 'medium', 'low'] },
  { name: 'effect',      any: 'Any effect',    values: ['supports', 'weakens', 'neutral'] },
] as const;

/** The filters that have a field, under the names of the API. */
const FILTER_FIELDS = ['q', 'category', ...CHOICES.map(({ name }) => name)] as const;

/** What no field shows: other filters, and those with several values. */
export const withoutField = (filter: URLSearchParams): URLSearchParams =>
  new URLSearchParams([...filter].filter(([name]) => !hasField(filter, name)));

const hasField = (filter: URLSearchParams, name: string): boolean =>
  FILTER_FIELDS.some((field) => field === name) && filter.getAll(name).length === 1;

const fieldValue = (filter: URLSearchParams, name: string): string =>
  hasField(filter, name) ? (filter.get(name) ?? '') : '';

/** The filter of a form with these fields, and with the other filters as a query string. */
export function filterTyped(form: URLSearchParams, others: string): string {
  const typed = FILTER_FIELDS.map((name) => [name, form.get(name)?.trim() ?? '']);
  const fields = new URLSearchParams(typed.filter(([, value]) => value !== '')).toString();
  return [others.trim(), fields].filter((text) => text !== '').join('&');
}

type FieldsProps = {
  /** Begins the ids of the fields. */
  readonly of: string;
  readonly filter: URLSearchParams;
  /** Whether the labels are seen; else only screen readers have them, and the placeholders say as much. */
  readonly areLabelsSeen: boolean;
};

/** A field for words in items and markets. `suggestions`: where a script gets markets for what is typed. */
export const WordsField = ({
  of,
  filter,
  areLabelsSeen,
  suggestions,
}: FieldsProps & { readonly suggestions?: string }) => (
  <Labelled of={of} name="q" label="Words, or a market" isSeen={areLabelsSeen}>
    <input
      id={`${of}-q`}
      name="q"
      type="search"
      value={fieldValue(filter, 'q')}
      autocomplete="off"
      placeholder={areLabelsSeen ? 'interest rate' : 'Words, or a market'}
      data-suggestions={suggestions}
    />
  </Labelled>
);

/** The other filters. `categories` are suggested; any other can be typed. */
export const CodeFields = ({
  of,
  filter,
  areLabelsSeen,
  categories,
}: FieldsProps & { readonly categories: readonly string[] }) => (
  <>
    <Labelled of={of} name="category" label="Category" isSeen={areLabelsSeen}>
      <input
        id={`${of}-category`}
        name="category"
        value={fieldValue(filter, 'category')}
        autocomplete="off"
        placeholder="Any category"
        list={`${of}-categories`}
      />
    </Labelled>
    <datalist id={`${of}-categories`}>
      {categories.map((category) => (
        <option key={category} value={category} />
      ))}
    </datalist>
    {CHOICES.map((choice) => (
      <Labelled
        key={choice.name}
        of={of}
        name={choice.name}
        label={capitalized(inlineText(choice.name))}
        isSeen={areLabelsSeen}
      >
        <Choice {...choice} of={of} value={fieldValue(filter, choice.name)} />
      </Labelled>
    ))}
  </>
);

type LabelledProps = {
  readonly of: string;
  readonly name: string;
  readonly label: string;
  readonly isSeen: boolean;
  readonly children: ComponentChildren;
};

const Labelled = ({ of, name, label, isSeen, children }: LabelledProps) => (
  <div class="filter-field">
    <label for={`${of}-${name}`} class={isSeen ? undefined : 'hidden'}>
      {label}
    </label>
    {children}
  </div>
);

type ChoiceProps = (typeof CHOICES)[number] & { readonly of: string; readonly value: string };

const Choice = ({ of, name, any, values, value }: ChoiceProps) => (
  <select id={`${of}-${name}`} name={name}>
    <option value="">{any}</option>
    {[...new Set([...values, ...(value === '' ? [] : [value])])].map((each) => (
      <option key={each} value={each} selected={each === value}>
        {capitalized(inlineText(each).replaceAll(',', ', '))}
      </option>
    ))}
  </select>
);
