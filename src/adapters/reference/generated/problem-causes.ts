import type { ProblemCode } from '../../http/answer/problem.js';

export type Reader = 'customer' | 'operator';

/** For the readers of each problem: its cause, and what to do. A code without a row does not compile. */
// biome-ignore format: a table is read by its columns
export const PROBLEM_CAUSES: Readonly<Record<ProblemCode, readonly [reader: Reader, cause: string, remedy: string]>> = {
  bad_request:             ['customer', 'The request is not valid HTTP, took too long to arrive (408), or asked for a WebSocket in a wrong way (426).', 'Check the request line and the headers, and send exactly one `Host`. Most often a proxy or a program that writes HTTP itself is the reason.'],
  invalid_parameter:       ['customer', 'A query parameter has a value that is not valid, is empty, or is sent twice; or a message on a WebSocket is not valid. `errors` lists all such parameters or fields.', 'Correct each one in `errors`: its `message` states what is valid. In a time with an offset, write `+` as `%2B`.'],
  key_missing:             ['customer', 'The request has no key. An `Authorization` header with another scheme than `Bearer` counts as no key.', 'Send the key in `X-API-Key` or as a bearer token. See [Authentication](authentication.md).'],
  key_unknown:             ['customer', 'No key has this value, or the request sends different keys. `detail` then names their places.', 'Send one key, in one place. Check that you copied the whole key: the prefix and 43 characters. Check also that it is a key of this service and not of a demo.'],
  key_revoked:             ['customer', 'The key was revoked, or it was replaced in a rotation and its grace window has ended.', 'Create a new key in the dashboard. A revoked key never works again.'],
  key_suspended:           ['customer', 'The key or its subscription is suspended. `causes` has the reasons: `payment_failure` (an invoice was not paid), `abuse` (the key sent far too many requests that were refused, or was used from too many networks), `manual_hold` (an operator).', 'For `payment_failure`, pay every open invoice: the key then works again by itself. For the other causes, contact the operator.'],
  payment_required:        ['customer', 'The subscription has an unpaid invoice.', 'Pay every open invoice. The same keys then work again.'],
  subscription_incomplete: ['customer', 'The first payment of the subscription is not complete.', 'Complete the first payment, in the dashboard under *Subscription*.'],
  subscription_paused:     ['customer', 'The subscription is paused.', 'Resume the subscription, in the dashboard under *Subscription*.'],
  insufficient_scope:      ['customer', 'The key does not have the scope of this call. Keys do not get scopes that are introduced after them.', 'Create a new key.'],
  not_found:               ['customer', 'The path does not exist. Paths are exact: upper and lower case count, and so does a slash at the end.', 'Compare the path with the [API reference](reference.md).'],
  method_not_allowed:      ['customer', 'The path exists, and does not support this method.', 'Use a method of the `Allow` header.'],
  stream_replaced:         ['customer', 'Another connection with the same key has resumed and took the slot of this stream. Only in the last message of a stream.', 'Use one key for each program. If your program has reconnected, nothing is wrong.'],
  position_expired:        ['customer', 'The changes after this position are no longer available: it is older than the service keeps them, or the database was restored.', 'Read all pages of `/pm/v2/news`, replace your data by them, and open a stream after the `Feed-Position` of the first page.'],
  uri_too_long:            ['customer', 'The query string has more than 4096 bytes.', 'Send fewer filters, or several requests.'],
  rate_limited:            ['customer', 'The limits in `violated_policies` are used up: `minute` or `day` of the plan, or `anonymous` for requests without a valid key.', 'Wait the seconds in `Retry-After`. Poll with `If-None-Match`, or use the stream, to need fewer requests. See [Limits and headers](limits.md).'],
  too_many_streams:        ['customer', 'All streams of the plan are open.', 'Close a stream, or wait the seconds in `Retry-After`: a connection that died without notice frees its stream then. [Batches](following.md#batch) need no stream.'],
  header_too_large:        ['customer', 'The request line and the headers have more than 16 KB.', 'Send fewer or shorter headers. Most often it is cookies of another site on the same domain.'],
  internal:                ['customer', 'An error of the service. It was logged with the `request_id`. It uses no quota.', 'Repeat the request after a second. If it stays, report the `request_id`.'],
  overloaded:              ['customer', 'Too many requests are in progress. It uses no quota.', 'Wait the seconds in `Retry-After`, and repeat the request.'],
  unavailable:             ['customer', 'The service starts, stops, or a server that it needs does not respond. It uses no quota.', 'Wait the seconds in `Retry-After`, and repeat the request. `/status` shows the state of the service.'],
  invalid_body:            ['operator', 'The body is not valid. `errors` lists what is wrong, with a JSON pointer to each place.', 'Correct each place in `errors`.'],
  invalid_signature:       ['operator', 'The signature of a webhook matches no secret, or is not from the last 300 seconds.', 'Check `STRIPE_WEBHOOK_SECRET`, and the clocks.'],
  unauthorized:            ['operator', 'The call of the internal interface has no valid token.', 'Send `OPERATOR_TOKEN` or `PUBLISHER_TOKEN` as a bearer token.'],
  forbidden:               ['operator', 'The token belongs to the other role.', 'Use the publisher token for news, and the operator token for all other calls.'],
  account_exists:          ['operator', 'Another account has this email address, or this customer of the payment processor.', 'Find the account by its email address, and use it.'],
  account_linked:          ['operator', 'The account is already linked to another customer of the payment processor.', 'Check that the customer belongs to this account. A link is not changed.'],
  account_deleted:         ['operator', 'The account is deleted and does not change any more.', 'Open a new account.'],
  subscription_running:    ['operator', 'The payment processor has reported a subscription of this account, and not its end.', 'Cancel the subscription there, and delete the account when it is `canceled`. Replay the payment events that are `failed` or `waiting`.'],
  payments_not_configured: ['operator', 'Without a webhook secret, the service receives no payment events.', 'Set `STRIPE_WEBHOOK_SECRET`.'],
  allowance_exceeded:      ['operator', 'The account has as many keys as its plan allows.', 'Rotate a key to replace it, or revoke one first.'],
  rotation_open:           ['operator', 'The key is already part of a rotation.', 'Revoke one of the two keys first.'],
  no_replacement:          ['operator', 'The account has no active key that is newer than this one.', 'Create a key, deploy it, and then retire this one.'],
  changed_meanwhile:       ['operator', 'The keys changed since they were loaded.', 'Load them again, and repeat the call.'],
  payload_too_large:       ['operator', 'The body is larger than the call accepts.', 'Send several smaller bodies, or items as NDJSON.'],
  unsupported_media_type:  ['operator', 'The call does not accept this `Content-Type`, or the body is compressed.', 'Use a type of the `Accept` header of the response, without `Content-Encoding`.'],
};
