import type { ApiKey, RevocationCause } from '../../../domain/api-key.js';
import type { Moment } from '../../../domain/moment.js';
import type { Subscription } from '../../../domain/subscription.js';
import { CAUSE_WORDS, STATE_WORDS } from '../page/cause-words.js';
import { At, Countdown } from '../page/moment.js';
import type { KeyView } from './key-view.js';

const REVOKED: Readonly<Record<RevocationCause, string>> = {
  rotation: 'retired for a newer one',
  cancellation: 'the subscription ended',
  manual: 'revoked by hand',
};

/** The state of a key in words, with its cause and the way back. */
export const KeyStateWords = ({
  view,
  subscription,
  now,
}: {
  readonly view: KeyView;
  readonly subscription: Subscription;
  readonly now: Moment;
}) => {
  const { state, graceUntil, isServed, successor, predecessor } = view;
  if (state.status === 'revoked') {
    if (graceUntil !== null && isServed) {
      return (
        <>
          <Badge kind="warning">works a little longer</Badge> Retired: it stops in{' '}
          <Countdown until={graceUntil} now={now} />. Then requests get 401.
        </>
      );
    }
    return (
      <>
        <Badge kind="off">revoked</Badge> <At at={state.revokedAt} />: {REVOKED[state.cause]}. This is final;
        a new key takes its place.
      </>
    );
  }
  if (state.status === 'suspended') {
    return (
      <>
        <Badge kind="bad">on hold: 402</Badge>{' '}
        {state.causes.map((cause) => `${CAUSE_WORDS[cause].why} ${CAUSE_WORDS[cause].wayBack}`).join(' ')}
      </>
    );
  }
  const refused = STATE_WORDS[subscription.state].refused;
  if (refused !== null) {
    return (
      <>
        <Badge kind="bad">refused: 402</Badge> {refused.why} {refused.wayBack}
      </>
    );
  }
  return (
    <>
      <Badge kind="good">active</Badge>
      {successor !== null && ` Being replaced by ${successor.prefix}…`}
      {predecessor !== null && ` The successor of ${predecessor.prefix}…`}
    </>
  );
};

/** The columns of tables of keys that are numbers. */
export const REQUESTS = { words: 'Requests today', isNumber: true } as const;

/** What a row of such a table is about. */
export const KeyHeading = ({ apiKey: { label, prefix } }: { readonly apiKey: ApiKey }) => (
  <th scope="row">
    {label ?? <span class="quiet">no label</span>} <code>{prefix}…</code>
  </th>
);

export const Badge = ({
  kind,
  children,
}: {
  readonly kind: 'good' | 'warning' | 'bad' | 'off';
  readonly children: string;
}) => <span class={`badge ${kind}`}>{children}</span>;
