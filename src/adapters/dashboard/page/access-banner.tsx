import type { ComponentChildren } from 'preact';
import type { Access } from '../../../domain/accounts/access.js';
import { type ApiKey, causesOf } from '../../../domain/keys/api-key.js';
import { Day } from './moment.js';
import { Notice } from './notice.js';
import { answersOf, obstacleText, refusedAnswer, restoredText } from './state-text.js';

const SUBSCRIPTION_PATH = '/dashboard/subscription';

/** What keeps the requests of an account from being served, or soon will, and how to restore access. */
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
        {activePath !== SUBSCRIPTION_PATH && <a href={SUBSCRIPTION_PATH}>See your subscription</a>}
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
          <strong>A payment failed.</strong> Requests are still served. They are refused from{' '}
          <Day at={access.endsAt} /> at the latest. Pay every open invoice to keep access. {children}
        </p>
      );
    case 'refused': {
      const { obstacles, owes } = access;
      return (
        <p>
          <strong>Requests with your keys get {refusedAnswer(access)}.</strong>{' '}
          {obstacleText(obstacles, owes)} {restoredText(access)} {children}
        </p>
      );
    }
  }
};

/** A hold on one key stands apart from those on the subscription, and is lifted apart from them (D21). */
const HeldKey = ({ apiKey: { label, prefix, state } }: { readonly apiKey: ApiKey }) => (
  <p>
    <strong>
      The key {label} <code>{prefix}…</code> is on hold: requests with it get {answersOf(causesOf(state))}.
    </strong>{' '}
    {obstacleText(causesOf(state), false)}
  </p>
);
