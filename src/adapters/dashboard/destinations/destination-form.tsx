import {
  DESTINATION_KINDS,
  type Destination,
  type DestinationKind,
} from '../../../domain/destinations/destination.js';
import { LABEL_LENGTH } from '../../../domain/keys/label.js';
import { CodeFields, WordsField, withoutField } from '../feed/filter-fields.js';
import { MARKETS_PATH } from '../markets/market-paths.js';
import { FormToken } from '../page/layout.js';
import type { Viewer } from '../state.js';
import type { TypedDestination } from './destination-draft.js';
import { DESTINATIONS_PATH } from './destination-page.js';
import { KIND_NAMES } from './destination-text.js';

type FormProps = {
  readonly viewer: Viewer;
  readonly listed: readonly { readonly destination: Destination }[];
  readonly typed: TypedDestination;
  readonly ownAddress: string;
};

/** A form that is sent twice creates one destination: `seen` is the newest one when the page was rendered. */
export const DestinationForm = ({ viewer, listed, typed, ownAddress }: FormProps) => (
  <form method="post" action={DESTINATIONS_PATH} class="destination-form">
    <FormToken viewer={viewer} />
    <input type="hidden" name="seen" value={listed.at(-1)?.destination.id ?? ''} />
    <KindCards chosen={typed.kind} />
    <LabelField value={typed.label} />
    <AddressField value={typed.address} ownAddress={ownAddress} />
    <FilterField value={typed.filter} />
    <button type="submit" aria-describedby="allowance">
      Create destination
    </button>
  </form>
);

const KindCards = ({ chosen }: { readonly chosen: DestinationKind }) => (
  <fieldset class="kind-cards">
    <legend>Kind</legend>
    {DESTINATION_KINDS.map((kind) => (
      <label key={kind} for={`kind-${kind}`}>
        <input type="radio" id={`kind-${kind}`} name="kind" value={kind} checked={kind === chosen} />
        {KIND_NAMES[kind]}
      </label>
    ))}
  </fieldset>
);

type AddressKind = Exclude<DestinationKind, 'feed'>;

// biome-ignore format: a table is read by its columns
const ADDRESSES: Readonly<Record<AddressKind, { readonly label: string; readonly example: string; readonly hint: string }>> = {
  webhook: { label: 'URL',           example: 'https://example.com/hook',      hint: 'Webhook: the https URL that gets the signed requests.' },
  slack:   { label: 'Webhook URL',   example: 'https://hooks.slack.com/services/…', hint: 'Slack or Discord: the URL of an incoming webhook. For Discord, add /slack to it.' },
  email:   { label: 'Email address', example: 'desk@example.com',              hint: 'Email: the owner of any other address than yours must confirm it first.' },
};
const ADDRESS_KINDS = Object.keys(ADDRESSES) as readonly AddressKind[];

/**
 * Label, example and hint follow the selected kind by `:has()` in the style (`data-for`): a page has no inline script. A browser
 * without `:has()` shows one label and every hint.
 */
const AddressField = ({ value, ownAddress }: { readonly value: string; readonly ownAddress: string }) => (
  <>
    <div data-for={ADDRESS_KINDS.join(' ')}>
      <label for="address">
        <span class="any-kind">Address</span>
        {ADDRESS_KINDS.map((kind) => (
          <span key={kind} data-for={kind}>
            {ADDRESSES[kind].label}
          </span>
        ))}
      </label>
      <div class="with-example">
        <input
          id="address"
          name="address"
          autocomplete="off"
          placeholder=" "
          aria-describedby="address-note"
          value={value}
        />
        {ADDRESS_KINDS.map((kind) => (
          <span key={kind} class="example" data-for={kind} aria-hidden="true">
            {ADDRESSES[kind].example}
          </span>
        ))}
      </div>
      <div id="address-note" class="quiet">
        {ADDRESS_KINDS.map((kind) => (
          <p key={kind} data-for={kind}>
            {ADDRESSES[kind].hint}
            {kind === 'email' && ` Your address is ${ownAddress}.`}
          </p>
        ))}
      </div>
    </div>
    <p class="quiet" data-for="feed">
      Atom feed: you get an address for your feed reader. It is shown once.
    </p>
  </>
);

export const LabelField = ({ value }: { readonly value: string }) => (
  <p>
    <label for="label">Label</label>
    <input
      id="label"
      name="label"
      required
      maxLength={LABEL_LENGTH.maximum}
      placeholder="newsroom"
      autocomplete="off"
      value={value}
    />
  </p>
);

/** The filters that the feed has as fields, and a text for all others. */
export const FilterField = ({ value }: { readonly value: string }) => {
  const filter = new URLSearchParams(value.trim());
  const fields = { of: 'destination', filter, areLabelsSeen: true };
  return (
    <fieldset class="filter-fields">
      <legend>Filter (optional)</legend>
      <WordsField {...fields} />
      <CodeFields {...fields} categories={[]} />
      <div class="filter-field">
        <label for="filter">Other filters</label>
        <input
          id="filter"
          name="filter"
          autocomplete="off"
          placeholder="source=Reuters&market=…"
          aria-describedby="filter-note"
          value={withoutField(filter).toString()}
        />
      </div>
      <p id="filter-note" class="quiet">
        Empty: every item. Several categories: with commas. Other filters are parameters of the API, as in a
        query string: <code>market</code>, <code>source</code> and <a href="/docs/filters">more</a>.{' '}
        <a href={MARKETS_PATH}>Find a market</a> to follow it.
      </p>
    </fieldset>
  );
};
