import { type Finding, skipped } from '../adapters/findings/check.js';
import { serverAddress } from '../adapters/findings/without-secrets.js';
import { stripeClient } from '../adapters/stripe/stripe-processor.js';
import type { Config } from '../settings/config.js';
import { clockFinding } from './rules/clock-difference.js';
import { type ExternalAnswer, externalFinding } from './rules/external-answer.js';
import { type DoctorCheck, once } from './run-checks.js';
import { comparedDate } from './server-clock.js';

type Asked = { readonly answer: ExternalAnswer; readonly sentAt: number; readonly date: string | undefined };

export function stripeChecks({ payments: { apiKey, apiUrl } }: Config): readonly DoctorCheck[] {
  if (apiKey === undefined)
    return [{ check: 'stripe', run: async () => skipped('STRIPE_API_KEY is not set') }];
  const asked = once(() => ask(apiKey, apiUrl));
  return [
    {
      check: 'stripe',
      run: async () => externalFinding('Stripe', serverAddress(apiUrl), (await asked()).answer),
    },
    { check: 'stripe clock', run: async () => clockCheck(await asked()) },
  ];
}

/** Webhooks are refused if the clocks differ by more than 5 minutes. */
function clockCheck({ sentAt, date }: Asked): Finding {
  const clock = comparedDate(sentAt, date);
  return clock === null ? skipped('Stripe did not answer with a date') : clockFinding('Stripe', clock);
}

type StripeFault = {
  readonly statusCode?: number;
  readonly type?: string;
  readonly code?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The error of the network, if there was no answer. */
  readonly detail?: { readonly code?: string };
};

/** Reads the newest event: what the service itself reads every 15 minutes. */
async function ask(apiKey: string, apiUrl: string): Promise<Asked> {
  const client = stripeClient(apiKey, apiUrl);
  const sentAt = Date.now();
  try {
    const { lastResponse } = await client.events.list({ limit: 1 });
    return { answer: { answer: 'accepted' }, sentAt, date: lastResponse.headers['date'] };
  } catch (thrown) {
    const fault = thrown as StripeFault;
    return { answer: answerOf(fault), sentAt, date: fault.headers?.['date'] };
  }
}

function answerOf({ statusCode, type, code, detail }: StripeFault): ExternalAnswer {
  // The message of Stripe contains a part of the key.
  const status = statusCode === undefined ? undefined : `HTTP ${statusCode}`;
  const reason = [status, type, code, detail?.code].filter((item) => item !== undefined).join(', ');
  if (statusCode === 401) return { answer: 'credentials refused', reason };
  if (statusCode === 403) return { answer: 'permission missing', reason };
  return { answer: 'unreachable', reason };
}
