import type { Account, AccountId } from '../../../domain/accounts/account.js';
import type { AccountAction, KeyAction } from '../../../domain/accounts/operator-actions.js';
import type { DestinationId } from '../../../domain/destinations/destination.js';
import type { ApiKey } from '../../../domain/keys/api-key.js';

/** Paths of the console. */
export const CONSOLE_PATH = '/operator';
export const NEW_ACCOUNT_PATH = '/operator/new-account';
export const INGESTION_PATH = '/operator/ingestion';
export const PLANS_PATH = '/operator/plans';
export const PURGES_PATH = '/operator/purges';
export const DESTINATIONS_PATH = '/operator/destinations';
export const EVENTS_PATH = '/operator/payment-events';

export const accountPath = (id: AccountId): string => `/operator/accounts/${encodeURIComponent(id)}`;

/** The pages of an account, in the order of their tabs. */
export const ACCOUNT_TABS = [
  'overview',
  'keys',
  'usage',
  'requests',
  'payments',
  'destinations',
  'audit',
] as const;
export type AccountTab = (typeof ACCOUNT_TABS)[number];

export const tabPath = (id: AccountId, tab: AccountTab): string =>
  tab === 'overview' ? accountPath(id) : `${accountPath(id)}/${tab}`;
export const planChangePath = (id: AccountId): string => `${accountPath(id)}/plan`;
export const customerLinkPath = (id: AccountId): string => `${accountPath(id)}/customer`;
/** The same page, with this customer in its form. */
export const customerLinkPathOf = (id: AccountId, customer: string): string =>
  `${customerLinkPath(id)}?customer=${encodeURIComponent(customer)}`;
export const newKeyPath = (id: AccountId): string => `${accountPath(id)}/new-key`;
export const rotationPath = (id: AccountId, key: ApiKey): string =>
  `${accountPath(id)}/keys/${encodeURIComponent(key.id)}/rotation`;
export const actionPath = ({ id }: Account, action: AccountAction): string =>
  `${accountPath(id)}/acts/${action}`;
export const keyActionPath = ({ id }: Account, key: ApiKey, action: KeyAction): string =>
  `${accountPath(id)}/keys/${encodeURIComponent(key.id)}/acts/${action}`;
export const destinationActionPath = (id: DestinationId, action: string): string =>
  `${DESTINATIONS_PATH}/${encodeURIComponent(id)}/acts/${action}`;
export const itemPath = (id: string): string => `/operator/items/${encodeURIComponent(id)}`;
export const retractionPath = (id: string): string => `${itemPath(id)}/retraction`;
export const purgePath = (id: string): string => `${PURGES_PATH}?id=${encodeURIComponent(id)}`;
export const correctionPath = (id: string): string => `${itemPath(id)}/correction`;
export const eventPath = (id: string): string => `${EVENTS_PATH}/${encodeURIComponent(id)}`;
export const eventAccountPath = (id: string): string => `${eventPath(id)}/account`;
export const eventLinkPath = (id: string): string => `${eventPath(id)}/link`;
