import type { Destination } from '../../../domain/destinations/destination.js';
import { Badge } from '../keys/key-state.js';
import { At } from '../page/moment.js';
import { DISABLED_TEXT, destinationBadge } from './destination-text.js';

type Props = { readonly destination: Destination };

/** The state of a destination: since when, why, and when it is tried again. */
export const DestinationStateText = ({ destination }: Props) => {
  const { kind, text } = destinationBadge(destination);
  return (
    <>
      <Badge kind={kind}>{text}</Badge> <Details destination={destination} />
    </>
  );
};

const Details = ({ destination: { state } }: Props) => {
  switch (state.status) {
    case 'active':
      return null;
    case 'failing':
      return (
        <>
          since <At at={state.since} />, {state.tries} failed {state.tries === 1 ? 'try' : 'tries'}. Next try:{' '}
          <At at={state.nextAt} />.
        </>
      );
    case 'paused':
      return (
        <>
          since <At at={state.at} />.
        </>
      );
    case 'disabled':
      return (
        <>
          since <At at={state.at} />. {DISABLED_TEXT[state.cause]}
          {state.reason !== null && ` Reason: ${state.reason}`}
        </>
      );
  }
};
