import type { Config } from '../settings/config.js';

/**
 * The adapters of the servers in the settings; null for a server that is not set. A process loads only the client libraries
 * that it uses: those of Redis, Postgres and SMTP are half of the files that a service can load.
 */
export const loadDrivers = async ({ redisUrls, databaseUrl, smtpUrl }: Config) => ({
  redis: redisUrls.length === 0 ? null : await import('./redis.js'),
  postgres: databaseUrl === undefined ? null : await import('./postgres.js'),
  smtp: smtpUrl === undefined ? null : await import('../adapters/mail/smtp-mailer.js'),
});

export type Drivers = Awaited<ReturnType<typeof loadDrivers>>;
