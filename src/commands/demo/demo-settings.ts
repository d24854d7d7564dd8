import type { Environment } from '../../settings/environment.js';

/** A demo stores nothing, sends no email, and has its own payment processor and clock. */
const OWN = {
  TEST_CLOCK: '1',
  SMTP_URL: undefined,
  DATABASE_URL: undefined,
  DATABASE_REPLICA_URLS: undefined,
  REDIS_URL: undefined,
  WEB_CONCURRENCY: undefined,
  STRIPE_API_KEY: undefined,
  STRIPE_PAYMENT_LINK: undefined,
  STRIPE_WEBHOOK_SECRET: undefined,
} satisfies Environment;

/** The settings of a demo. `webhookSecret` is known only to the service and its fake payment processor. */
export const demoSettings = (environment: Environment, webhookSecret: string): Environment => ({
  LOG_LEVEL: 'warn',
  // The stories are invented: everyone may see the newest one.
  FRONT_PAGE_HEADLINE: 'on',
  ...environment,
  ...OWN,
  STRIPE_WEBHOOK_SECRET: webhookSecret,
});

/** A line that names the settings of the environment that the demo ignores; null if there are none. */
export function ignoredSettingsText(environment: Environment): string | null {
  const ignored = Object.entries(OWN).flatMap(([name, own]) =>
    environment[name] && environment[name] !== own ? [name] : [],
  );
  if (ignored.length === 0) return null;
  const [is, it] = ignored.length === 1 ? ['is', 'it'] : ['are', 'them'];
  return (
    `${ignored.join(', ')} ${is} set, but the demo ignores ${it}: it keeps all data in memory, sends no email, and has ` +
    'its own clock and payment processor. npm start uses these settings.'
  );
}
