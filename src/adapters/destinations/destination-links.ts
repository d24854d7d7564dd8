import type { DestinationLinks, SentLink } from '../../application/ports/destinations/destination-links.js';
import type { Sealing } from '../../application/ports/destinations/sealing.js';
import type { DestinationId, Sealed } from '../../domain/destinations/destination.js';
import { parseMoment } from '../../domain/moment.js';

type Purpose = 'unsubscribe' | 'confirm';

/** Links whose token is a sealed text, so that nothing of them is stored. */
export function destinationLinks({
  sealing,
  publicUrl,
}: {
  readonly sealing: Sealing;
  readonly publicUrl: () => string;
}): DestinationLinks {
  const urlOf = (purpose: Purpose, destination: DestinationId, text: string) => {
    const token = sealing.seal(text, { destination, field: purpose });
    return `${publicUrl()}/dashboard/destinations/${purpose}?${new URLSearchParams({ destination, token })}`;
  };
  const textOf = (purpose: Purpose, { destination, token }: SentLink): string | null => {
    const found = sealing.open(token as Sealed, { destination, field: purpose });
    return found.opened ? found.text : null;
  };
  return {
    unsubscribeUrl: (id) => urlOf('unsubscribe', id, id),
    confirmUrl: ({ id, address, endsAt }) => urlOf('confirm', id, `${address} ${endsAt}`),
    readUnsubscribe: (sent) =>
      textOf('unsubscribe', sent) === sent.destination ? (sent.destination as DestinationId) : null,
    readConfirm: (sent) => {
      // Addresses have no spaces.
      const [address = '', time = ''] = textOf('confirm', sent)?.split(' ') ?? [];
      const endsAt = parseMoment(time);
      return endsAt === undefined ? null : { id: sent.destination as DestinationId, address, endsAt };
    },
  };
}
