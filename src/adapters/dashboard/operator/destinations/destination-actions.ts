import {
  type DestinationAction,
  whyNotDelivered,
} from '../../../../domain/destinations/account-destinations.js';
import type { Destination } from '../../../../domain/destinations/destination.js';
import type { ActionText } from '../accounts/action-text.js';

/** What operators do with a destination. */
export const OPERATOR_DESTINATION_ACTIONS = ['disable', 'enable'] as const;
export type OperatorDestinationAction = (typeof OPERATOR_DESTINATION_ACTIONS)[number];

export const DESTINATION_ACTION_TEXT: Readonly<Record<OperatorDestinationAction, ActionText>> = {
  disable: {
    name: 'Disable',
    consequence:
      'Nothing is delivered any more. The destination keeps its position. Its owner sees your reason, and cannot enable it.',
    isDangerous: true,
    done: 'The destination is disabled.',
  },
  enable: {
    name: 'Enable',
    consequence: 'The destination continues at its position.',
    isDangerous: false,
    done: 'The destination is enabled.',
  },
};

/** The actions that would change a destination now. */
export function destinationActions(destination: Destination): readonly OperatorDestinationAction[] {
  const { state } = destination;
  if (state.status !== 'disabled') return ['disable'];
  const enable = whyNotDelivered(destination) === null ? (['enable'] as const) : [];
  return state.cause === 'operator' ? enable : ['disable', ...enable];
}

export const destinationActionOf = (action: OperatorDestinationAction, reason: string): DestinationAction =>
  action === 'enable' ? { event: 'enabled' } : { event: 'disabled', cause: 'operator', reason };
