import { OPERATOR_TOKEN, PUBLISHER_TOKEN } from './service.mjs';

/** Sends an operator call to the internal listener; returns the JSON. */
export function operate({ internalUrl }, path, body) {
  return post(`${internalUrl}/internal/v1${path}`, OPERATOR_TOKEN, 'application/json', JSON.stringify(body));
}

/** Publishes NDJSON, with the times of the items (`backfill`) or with the current time (`live`). */
export function publish({ internalUrl }, ndjson, mode = 'live') {
  return post(
    `${internalUrl}/internal/v1/news?mode=${mode}`,
    PUBLISHER_TOKEN,
    'application/x-ndjson',
    ndjson,
  );
}

/** Creates `count` keys, each for a separate Pro account. */
export async function proKeys(service, count) {
  const keys = [];
  let next = 0;
  const caller = async () => {
    for (let n = next++; n < count; n = next++) {
      const { account_id } = await operate(service, '/accounts', {
        email: `bench-${n}@example.org`,
        plan: 'pro',
      });
      keys.push((await operate(service, `/accounts/${account_id}/keys`, {})).key);
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  return keys;
}

const CALLERS = 16;

async function post(url, token, type, body) {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': type };
  const answer = await fetch(url, { method: 'POST', headers, body });
  const text = await answer.text();
  if (!answer.ok)
    throw new Error(`POST ${new URL(url).pathname} returned ${answer.status}: ${text.slice(0, 300)}`);
  return JSON.parse(text);
}
