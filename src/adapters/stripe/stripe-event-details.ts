import type { EventDetails, ReadEventDetails } from '../../application/ports/billing/processor.js';
import { JsonReader, ParseError } from './json-reader.js';

const NONE: EventDetails = { object: null, reference: null, email: null };

/** The email address is that of the customer of a checkout, or of the customer of an invoice. */
export const stripeEventDetails: ReadEventDetails = (payload) => {
  try {
    const object = new JsonReader(JSON.parse(payload.toString('utf8'))).inner('data').inner('object');
    return {
      object: object.textOrNull('id'),
      reference: object.textOrNull('client_reference_id'),
      email:
        object.innerOrNull('customer_details')?.textOrNull('email') ?? object.textOrNull('customer_email'),
    };
  } catch (fault) {
    if (fault instanceof SyntaxError || fault instanceof ParseError) return NONE;
    throw fault;
  }
};
