import { type ApiKey, causesOf } from '../../../domain/keys/api-key.js';
import type { Moment } from '../../../domain/moment.js';
import { Countdown, OnAt } from '../page/moment.js';
import { grouped } from '../page/number-text.js';
import { type BadgeKind, KEY_BADGES, obstacleText, REVOCATION_TEXT } from '../page/state-text.js';
import type { KeyView } from './key-view.js';

type Props = { readonly view: KeyView; readonly now: Moment };

/** The state of a key: the status code of requests with it, and why. */
export const KeyStateText = ({ view, now }: Props) => (
  <>
    <KeyBadge view={view} />
    <KeyDetails view={view} now={now} />
  </>
);

export const KeyBadge = ({ view: { refusal, graceUntil } }: Pick<Props, 'view'>) => {
  const { kind, text } = KEY_BADGES[refusal?.refused ?? (graceUntil === null ? 'active' : 'in_grace')];
  return <Badge kind={kind}>{text}</Badge>;
};

/** Causes of the key itself. The banner of every page shows those of the subscription. */
const KeyDetails = ({ view, now }: Props) => {
  const { key, state, graceUntil, successor, predecessor } = view;
  const causes = causesOf(key.state);
  if (state.status === 'revoked' && graceUntil === null) {
    return (
      <>
        {' '}
        <OnAt at={state.revokedAt} />: {REVOCATION_TEXT[state.cause]}.
      </>
    );
  }
  return (
    <>
      {causes.length > 0 && ` ${obstacleText(causes, false)}`}
      {graceUntil !== null && (
        <>
          {' '}
          Retired. Expires in <Countdown until={graceUntil} now={now} />. Requests with it then return 401.
        </>
      )}
      {key.controls.expiresAt !== null && graceUntil === null && (
        <>
          {' '}
          Expires <OnAt at={key.controls.expiresAt} />.
        </>
      )}
      {successor !== null && ` Being replaced by ${successor.prefix}…`}
      {predecessor !== null && ` Replaces ${predecessor.prefix}…`}
    </>
  );
};

export const REQUESTS = { label: 'Requests today', isNumber: true } as const;

/** `1,204`, or `1 refused` if the key was only refused today: the key was not used then. */
export const requestsTodayText = ({ requestsToday, onlyRefusedToday }: KeyView): string =>
  onlyRefusedToday ? `${grouped(requestsToday)} refused` : grouped(requestsToday);

/** The heading of a row in a table of keys: the label over the prefix. A key without a label is its prefix. */
export const KeyHeading = ({ apiKey: { label, prefix } }: { readonly apiKey: ApiKey }) => (
  <th scope="row" class="key-name">
    {label !== null && <span>{label} </span>}
    <code>{prefix}…</code>
  </th>
);

export const nameOf = ({ key }: KeyView): string => key.label ?? `${key.prefix}…`;

/** The same, with a link to the page of the key. */
export const LinkedKeyHeading = ({ apiKey: { id, label, prefix } }: { readonly apiKey: ApiKey }) => (
  <th scope="row" class="key-name">
    <a href={`/dashboard/keys/${id}`}>{label ?? <code>{prefix}…</code>}</a>
    {label !== null && <code> {prefix}…</code>}
  </th>
);

export const Badge = ({ kind, children }: { readonly kind: BadgeKind; readonly children: string }) => (
  <span class={`badge ${kind}`}>{children}</span>
);
