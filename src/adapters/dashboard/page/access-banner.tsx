import type { ComponentChildren } from 'preact';
import type { Access } from '../../../domain/accounts/access.js';
import { type ApiKey, causesOf } from '../../../domain/keys/api-key.js';
import { Day } from './moment.js';
import { Notice } from './notice.js';
import { answersOf, obstacleText, refusedAnswer, restoredText } from './state-text.js';

const SUBSCRIPTION_PATH = '/dashboard/subscription';

/** Why requests of the account are refused, or soon will be, and how to restore access. */
export const AccessBanner = ({
  access,
  activePath,
}: {
  readonly access: Access;
  readonly activePath: string | undefined;
}) => {
  const { status, heldKeys } = access;
  if (status === 'served' && heldKeys.length === 0) return null;
  return (
    <Notice id="access" kind={status === 'refused' ? 'bad' : 'warning'}>
      <AccountAccess access={access}>
        {activePath !== SUBSCRIPTION_PATH && <a href={SUBSCRIPTION_PATH}>View subscription</a>}
      </AccountAccess>
      {heldKeys.map((key) => (
        <HeldKey key={key.id} apiKey={key} />
      ))}
    </Notice>
  );
};

const AccountAccess = ({
  access,
  children,
}: {
  readonly access: Access;
  readonly children: ComponentChildren;
}) => {
  switch (access.status) {
    case 'served':
      return null;
    case 'at_risk':
      return (
        <p>
          <strong>A payment failed.</strong> Your keys still work. Access ends on <Day at={access.endsAt} />{' '}
          at the latest. Pay every open invoice to keep access. {children}
        </p>
      );
    case 'refused': {
      const { obstacles, hasOpenInvoice } = access;
      return (
        <p>
          <strong>Requests with your keys return {refusedAnswer(access)}.</strong>{' '}
          {obstacleText(obstacles, hasOpenInvoice)} {restoredText(access)} {children}
        </p>
      );
    }
  }
};

/** A hold on one key is independent of holds on the subscription and is released separately (D21). */
const HeldKey = ({ apiKey: { label, prefix, state } }: { readonly apiKey: ApiKey }) => (
  <p>
    <strong>
      Key {label} <code>{prefix}…</code> is suspended. Requests with it return {answersOf(causesOf(state))}.
    </strong>{' '}
    {obstacleText(causesOf(state), false)}
  </p>
);
