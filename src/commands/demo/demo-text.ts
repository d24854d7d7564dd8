import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Plan, PlanName } from '../../domain/billing/plan.js';
import type { Config } from '../../settings/config.js';
import type { OpenedAccount } from './demo-accounts.js';
import { NEW_ITEM_EVERY_MS } from './publish-stories.js';

type Accounts = Readonly<Record<PlanName, OpenedAccount>>;

/** A sub-market with several stories in the backlog, and more after the start. */
const MARKET = 'sm-halvex-strait-midsummer';

/** Where a visitor begins. */
export const frontPageText = (
  port: number,
): string => `Open http://localhost:${port}/ in a browser: it shows what the service does.
Read the documentation: http://localhost:${port}/docs
Open the dashboard (sign in with one click): http://localhost:${port}/dashboard
All stories are invented, and time is compressed: events that would be weeks apart follow each other within minutes.
After the last story a new round begins, with new ids and new markets.`;

/** `Pro: 5 keys, 3,000 requests a minute`: an account of the demo on the sign-in page. */
export const accountText = ({ title, keys, requestsPerMinute }: Plan): string =>
  `${title}: ${keys} ${keys === 1 ? 'key' : 'keys'}, ${requestsPerMinute.toLocaleString('en-US')} requests a minute`;

/**
 * The keys of the demo, and commands that use them. No other code prints keys. These belong to the visitor and are lost
 * when the process ends.
 */
export function keysText({ free, builder, pro }: Accounts, port: number): string {
  const news = `http://localhost:${port}/pm/v2/news`;
  const line = (title: string, { id, keyId, key }: OpenedAccount) =>
    `${title} plan (${id}, ${keyId}): ${key}`;
  return `
Keys of this demo. They work until it ends:
${line('Free', free)}
${line('Builder', builder)}
${line('Pro', pro)}

Read the two newest items. There are three ways to send a key:
curl -H 'Authorization: Bearer ${free.key}' '${news}?limit=2'
curl -H 'X-API-Key: ${builder.key}' '${news}?limit=2'
curl '${news}?limit=2&api_key=${pro.key}'

Read every story about one market, with the price at each:
curl -H 'X-API-Key: ${builder.key}' '${news}?market_id=${MARKET}'

Follow the feed live. Every ${NEW_ITEM_EVERY_MS / 1_000} seconds a story is published, corrected or retracted. Ctrl-C ends it:
curl -N -H 'X-API-Key: ${builder.key}' 'http://localhost:${port}/pm/v2/stream'`;
}

/** The commands that cause and end a 402: a payment fails, two weeks pass, the payment succeeds. */
export function paymentsText(config: Config, internalPort: number, { id }: OpenedAccount): string {
  const token = operatorTokenInShell(config);
  const operate = (path: string, body: object) =>
    `curl -H "Authorization: Bearer ${token}" -H 'Content-Type: application/json' ` +
    `-d '${JSON.stringify(body)}' http://localhost:${internalPort}/internal/v1${path}`;
  const fakePayment = (outcome: string) => operate('/demo/payments', { account_id: id, outcome });
  return `
Simulate payments ("fail", "pay", "cancel"). These commands fail a payment, advance the clock by 14 days, and pay.
After the second command, requests with the Pro key return 402. After the third, they return 200 again:
${fakePayment('fail')}
${operate('/test-clock', { advance_seconds: 14 * 86_400 })}
${fakePayment('pay')}
`;
}

/** A shell expression that expands to the operator token. The demo prints keys, but no internal tokens. */
function operatorTokenInShell({ operatorToken, stateDir }: Config): string {
  const quoted = (script: string) => `'${script.replaceAll("'", "'\\''")}'`;
  if (operatorToken === undefined) {
    const file = JSON.stringify(resolve(stateDir, 'tokens.json'));
    return `$(node -p ${quoted(`require(${file}).operator`)})`;
  }
  return existsSync('.env') ? '$(node --env-file=.env -p process.env.OPERATOR_TOKEN)' : '$OPERATOR_TOKEN';
}
