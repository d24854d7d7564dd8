import { type EmailAddress, readEmailAddress } from '../../../domain/accounts/email-address.js';
import type { NewDestination } from '../../../domain/destinations/account-destinations.js';
import {
  DESTINATION_KINDS,
  type DestinationId,
  type DestinationKind,
  type Target,
} from '../../../domain/destinations/destination.js';
import { readDestinationUrl, shownUrl, type UrlKind } from '../../../domain/destinations/destination-url.js';
import { feedToken } from '../../../domain/destinations/feed-token.js';
import { readLabel } from '../../../domain/keys/label.js';
import type { FaultKind, Refusal } from '../../../domain/refusal.js';
import { filterTyped } from '../feed/filter-fields.js';
import type { DestinationPageParts, DestinationSending } from './destination-page.js';

/** The fields of the form, as they were typed. */
export type TypedDestination = {
  readonly label: string;
  readonly kind: DestinationKind;
  readonly address: string;
  readonly filter: string;
};

/** A new destination, with the secret of a webhook or the token of a feed: the only time that it is known. */
export type DraftedDestination = { readonly fresh: NewDestination; readonly once: string | null };

type Invalid = Refusal<'invalid_body' | 'invalid_parameter'>;
type DraftParts = Pick<
  DestinationPageParts,
  | 'webhookSigner'
  | 'newDestinationId'
  | 'urlRules'
  | 'checkFilter'
  | 'mailConfirmation'
  | 'keyFormat'
  | 'secrets'
>;

/** Filters of 50 sub-markets are shorter. */
const FILTER_LENGTH_MAX = 4_000;

/** The filter of the fields and of the text. A `?` before a text is left out, so that a copied one is accepted. */
export const typedFilter = (form: URLSearchParams): string =>
  filterTyped(form, (form.get('filter') ?? '').trim().replace(/^\?/, ''));

export const typedDestination = (form: URLSearchParams): TypedDestination => ({
  label: form.get('label') ?? '',
  kind: DESTINATION_KINDS.find((kind) => kind === form.get('kind')) ?? 'webhook',
  address: form.get('address') ?? '',
  filter: typedFilter(form),
});

/** Reads the form of a new destination. Refuses with all faults at once. `own`: the email address of the account. */
export function draftDestination(
  typed: TypedDestination,
  own: string,
  parts: DraftParts,
  { sealing }: Pick<DestinationSending, 'sealing'>,
): DraftedDestination | Refusal<'invalid_body'> {
  const id = parts.newDestinationId();
  const label = readLabel(typed.label, parts.keyFormat);
  const filter = readFilter(typed.filter, parts);
  const drafted = DRAFTS[typed.kind](typed.address, { id, own, parts, sealing });
  if (isInvalid(label) || isInvalid(filter) || isInvalid(drafted)) {
    const faults = [label, drafted, filter].flatMap((read) => (isInvalid(read) ? read.faults : []));
    return { refused: 'invalid_body', faults };
  }
  return { fresh: { id, label, filter, target: drafted.target }, once: drafted.once };
}

/** A filter in the form in which it is stored: percent-encoded, so that it has no characters that a store refuses. */
export function readFilter(
  text: string,
  { checkFilter, keyFormat }: Pick<DraftParts, 'checkFilter' | 'keyFormat'>,
): string | Invalid {
  if (text.length > FILTER_LENGTH_MAX)
    return fault('/filter', 'invalid_max_length', `must have at most ${FILTER_LENGTH_MAX} characters`);
  const checked = checkFilter(text);
  if ('refused' in checked) return checked;
  const filter = new URLSearchParams(text);
  return [...filter.values()].some((value) => keyFormat.containsKey(value))
    ? fault('/filter', 'not_allowed', 'must not contain an API key: filters are shown')
    : filter.toString();
}

type Draft = { readonly target: Target; readonly once: string | null };
type Drafting = {
  readonly id: DestinationId;
  readonly own: string;
  readonly parts: DraftParts;
} & Pick<DestinationSending, 'sealing'>;

const DRAFTS: Readonly<
  Record<DestinationKind, (address: string, drafting: Drafting) => Draft | Refusal<'invalid_body'>>
> = {
  webhook: (address, drafting) => {
    const url = sealedUrl(address, 'webhook', drafting);
    if ('refused' in url) return url;
    const once = drafting.parts.webhookSigner.makeSecret();
    const current = drafting.sealing.seal(once, { destination: drafting.id, field: 'secret' });
    return { target: { kind: 'webhook', ...url, secrets: { current, older: null } }, once };
  },
  slack: (address, drafting) => {
    const url = sealedUrl(address, 'slack', drafting);
    return 'refused' in url ? url : { target: { kind: 'slack', ...url }, once: null };
  },
  email: (address, { own, parts }) => {
    const read = readEmailAddress(address);
    if (read === undefined)
      return fault('/address', 'invalid_email', 'must be an email address such as name@example.com');
    return read !== own && parts.mailConfirmation === null
      ? fault('/address', 'not_allowed', NO_CONFIRMATION)
      : { target: emailTarget(read), once: null };
  },
  feed: (_, { parts: { secrets } }) => {
    const token = feedToken(secrets.make());
    return { target: { kind: 'feed', tokenHash: secrets.hash(token) }, once: token };
  },
};

const NO_CONFIRMATION =
  'must be the address of your account: this service cannot ask the owners of other addresses';

const emailTarget = (address: EmailAddress): Target => ({ kind: 'email', address, confirmedAt: null });

function sealedUrl(address: string, kind: UrlKind, { id, parts, sealing }: Drafting) {
  const url = readDestinationUrl(address, kind, parts.urlRules);
  if (typeof url !== 'string') return url;
  return { url: sealing.seal(url, { destination: id, field: 'url' }), shownUrl: shownUrl(url) };
}

const isInvalid = (read: string | object): read is Invalid => typeof read === 'object' && 'refused' in read;

const fault = (parameter: string, code: FaultKind, message: string): Refusal<'invalid_body'> => ({
  refused: 'invalid_body',
  faults: [{ parameter, code, message }],
});
