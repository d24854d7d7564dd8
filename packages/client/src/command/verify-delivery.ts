import { readFile } from 'node:fs/promises';
import { OddswireError } from '../errors.js';
import { verifyWebhook } from '../verify-webhook.js';
import type { ExitCode, Running } from './user-command.js';

/** `oddswire verify-webhook`: says whether the service has signed a delivery, and prints its content. */
export async function verifyDelivery(running: Running): Promise<ExitCode> {
  const { values, parts } = running;
  const secret = (parts.environment['ODDSWIRE_WEBHOOK_SECRET'] ?? '').split(/[\s,]+/).filter(Boolean);
  if (secret.length === 0)
    return wrong(running, 'ODDSWIRE_WEBHOOK_SECRET must be the secret of the destination, whsec_…');
  const tolerance = Number(values['tolerance'] ?? '300');
  if (!(tolerance > 0)) return wrong(running, '--tolerance must be a number of seconds');
  const body = await bodyOf(running);
  if (body === null) return wrong(running, 'the file of --body cannot be read');
  try {
    const delivery = await verifyWebhook({
      secret,
      headers: headersOf([values['header'] ?? []].flat().map(String)),
      body,
      now: parts.now(),
      toleranceSeconds: tolerance,
    });
    if (running.form === 'lines') await running.json(delivery);
    else
      await running.line(
        `valid: delivery ${delivery.id}, ${delivery.messages.length} messages, up to ${delivery.position}`,
      );
    return 0;
  } catch (error) {
    if (!(error instanceof OddswireError && error.code === 'invalid_webhook')) throw error;
    running.say(error.message);
    return 1;
  }
}

const headersOf = (lines: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    lines.map((line) => {
      const [name = '', ...value] = line.split(':');
      return [name.trim().toLowerCase(), value.join(':').trim()];
    }),
  );

/** The exact bytes, from the file or from standard input; null if the file cannot be read. */
function bodyOf({ values, parts }: Running): Promise<Uint8Array | null> | AsyncIterable<Uint8Array> {
  const { body } = values;
  return typeof body === 'string' ? readFile(body).catch(() => null) : parts.input;
}

function wrong(running: Running, what: string): ExitCode {
  running.say(what);
  return 2;
}
