import { fromEpochMillis } from '../../../src/domain/moment.js';
import { type Composed, composed, publish } from '../service/composed.js';
import { destinationsOf, LOCAL_RECEIVERS } from './composed-destinations.js';
import { WebhookReceiver } from './webhook-receiver.js';

/** A service in memory for each test, with receivers on this machine that end with the test. */
export function deliveringService() {
  let service: Composed;
  let destinations: ReturnType<typeof destinationsOf>;
  const receivers: WebhookReceiver[] = [];
  let items = 0;
  beforeEach(async () => {
    service = await composed({ ...LOCAL_RECEIVERS, DESTINATION_TIMEOUT_MS: '60000' });
    // Receivers compare the time of a signature with their own.
    service.clock.at = fromEpochMillis(Date.now());
    destinations = destinationsOf(service);
  });
  afterEach(async () => {
    await Promise.all(receivers.splice(0).map((one) => one.stop()));
    await service.stop();
  });
  return {
    service: () => service,
    destinations: () => destinations,
    receiver: async (): Promise<WebhookReceiver> => {
      const started = await new WebhookReceiver().start();
      receivers.push(started);
      return started;
    },
    /** Publishes an item and returns its id. */
    publishNew: async (): Promise<string> => {
      items += 1;
      const id = `item-${items}`;
      await publish(service, id);
      return id;
    },
  };
}
