import { type Access, needsPayment } from '../../../domain/accounts/access.js';
import { type ApiKey, causesOf } from '../../../domain/keys/api-key.js';
import type { Contact, Viewer } from '../state.js';
import { ContactText } from './contact-text.js';
import { Day } from './moment.js';
import { Notice } from './notice.js';
import { answersOf, obstacleText, refusedAnswer, restoredText } from './state-text.js';

const SUBSCRIPTION_PATH = '/dashboard/subscription';

/** Why requests of the account are refused, or soon will be, and how to restore access. */
export const AccessBanner = ({
  viewer,
  access,
  activePath,
}: {
  readonly viewer: Viewer;
  readonly access: Access;
  readonly activePath: string | undefined;
}) => {
  const { status, heldKeys } = access;
  if (status === 'served' && heldKeys.length === 0) return null;
  const { support } = viewer;
  return (
    <Notice id="access" kind={status === 'refused' ? 'bad' : 'warning'}>
      <AccountAccess access={access} support={support} />
      {activePath !== SUBSCRIPTION_PATH && <Remedy viewer={viewer} access={access} />}
      {heldKeys.map((key) => (
        <HeldKey key={key.id} apiKey={key} support={support} />
      ))}
    </Notice>
  );
};

/** Where to pay. The Plan page has the same button beside each open invoice. */
const Remedy = ({ viewer: { payPath }, access }: { readonly viewer: Viewer; readonly access: Access }) => {
  if (access.status === 'served') return null;
  const canPay = payPath !== null && needsPayment(access);
  return (
    <p class="actions">
      {canPay && (
        <a class={access.status === 'refused' ? 'button' : 'button plain'} href={payPath}>
          Pay now
        </a>
      )}
      <a href={SUBSCRIPTION_PATH}>View plan</a>
    </p>
  );
};

type Support = { readonly support: Contact | null };

const AccountAccess = ({ access, support }: Support & { readonly access: Access }) => {
  switch (access.status) {
    case 'served':
      return null;
    case 'at_risk':
      return (
        <p>
          <strong>A payment failed.</strong> Your keys still work. Access ends on <Day at={access.endsAt} />{' '}
          at the latest. Pay every open invoice to keep access.
        </p>
      );
    case 'refused': {
      const { obstacles, hasOpenInvoice } = access;
      return (
        <p>
          <strong>Requests with your keys return {refusedAnswer(access)}.</strong>{' '}
          <ContactText text={obstacleText(obstacles, hasOpenInvoice)} support={support} />{' '}
          {restoredText(access)}
        </p>
      );
    }
  }
};

/** A hold on one key is independent of holds on the subscription and is released separately (D21). */
const HeldKey = ({ apiKey: { label, prefix, state }, support }: Support & { readonly apiKey: ApiKey }) => (
  <p>
    <strong>
      Key {label} <code>{prefix}…</code> is suspended. Requests with it return {answersOf(causesOf(state))}.
    </strong>{' '}
    <ContactText text={obstacleText(causesOf(state), false)} support={support} />
  </p>
);
