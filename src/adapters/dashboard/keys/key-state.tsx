import { type ApiKey, causesOf } from '../../../domain/keys/api-key.js';
import type { Moment } from '../../../domain/moment.js';
import { At, Countdown } from '../page/moment.js';
import { type BadgeKind, KEY_BADGES, obstacleText, REVOCATION_TEXT } from '../page/state-text.js';
import type { KeyView } from './key-view.js';

type Props = { readonly view: KeyView; readonly now: Moment };

/** The state of a key: what a request with it gets, and why. */
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

/** What stands on the subscription is in the banner of every page; here is what stands on the key itself. */
const KeyDetails = ({ view, now }: Props) => {
  const { key, state, graceUntil, successor, predecessor } = view;
  const causes = causesOf(key.state);
  if (state.status === 'revoked' && graceUntil === null) {
    return (
      <>
        {' '}
        <At at={state.revokedAt} />: {REVOCATION_TEXT[state.cause]}. This is final.
      </>
    );
  }
  return (
    <>
      {causes.length > 0 && ` ${obstacleText(causes, false)}`}
      {graceUntil !== null && (
        <>
          {' '}
          Retired: it stops in <Countdown until={graceUntil} now={now} />, and requests with it get 401 then.
        </>
      )}
      {successor !== null && ` Being replaced by ${successor.prefix}…`}
      {predecessor !== null && ` The successor of ${predecessor.prefix}…`}
    </>
  );
};

/** The columns of tables of keys that are numbers. */
export const REQUESTS = { label: 'Requests today', isNumber: true } as const;

/** What a row of such a table is about. */
export const KeyHeading = ({ apiKey: { label, prefix } }: { readonly apiKey: ApiKey }) => (
  <th scope="row">
    {label ?? <span class="quiet">no label</span>} <code>{prefix}…</code>
  </th>
);

export const Badge = ({ kind, children }: { readonly kind: BadgeKind; readonly children: string }) => (
  <span class={`badge ${kind}`}>{children}</span>
);
