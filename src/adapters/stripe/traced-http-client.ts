import type Stripe from 'stripe';
import { tracedCall } from '../tracing/traced-call.js';

/** The client of the library, whose calls belong to the trace of the request that is being answered. */
export function tracedHttpClient(library: typeof Stripe): Stripe.HttpClient {
  const client = library.createNodeHttpClient();
  const makeRequest = client.makeRequest.bind(client);
  client.makeRequest = (host, port, path, method, headers, ...more) =>
    tracedCall(
      { method, host },
      (added) => makeRequest(host, port, path, method, { ...(headers as object), ...added }, ...more),
      (answer) => answer.getStatusCode(),
    );
  return client;
}
