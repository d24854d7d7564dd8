import { expect } from 'chai';
import { type Composed, composed, type Holder, keyHolder } from '../../support/service/composed.js';
import { operatorOf, visitorOf } from '../../support/service/visitor.js';

/** Names that every object inherits, and so every table that is a plain object. */
const INHERITED = Object.getOwnPropertyNames(Object.prototype);

describe('A message code in the address that every object inherits', () => {
  let service: Composed;
  let holder: Holder;
  before(async () => {
    service = await composed();
    holder = await keyHolder(service);
  });
  after(() => service.stop());

  for (const name of INHERITED) {
    it(`shows no message on an account page: ?done=${name}`, async () => {
      const operator = await operatorOf(service);
      const path = `/operator/accounts/${holder.account}`;
      const plain = await operator.open(path);
      const page = await operator.open(`${path}?done=${name}`);
      expect([page.status, page.html]).to.deep.equal([200, plain.html]);
      expect((await operator.open(`${path}?done=hold`)).text).to.include('The subscription is on hold');
    });

    it(`shows no message on the page of a payment event: ?done=${name}`, async () => {
      const event = await service.parts.readPaymentEvent(Buffer.from('{}'));
      await service.parts.paymentEvents.receive(event);
      const operator = await operatorOf(service);
      const path = `/operator/payment-events/${event.id}`;
      const plain = await operator.open(path);
      const page = await operator.open(`${path}?done=${name}`);
      expect([page.status, page.text]).to.deep.equal([200, plain.text]);
    });

    it(`shows the message for unknown codes on the Keys page: ?said=${name}`, async () => {
      const visitor = await visitorOf(service, holder.account);
      expect((await visitor.open(`/dashboard/keys?said=${name}`)).text).to.include(
        'The action could not be completed.',
      );
    });
  }
});
