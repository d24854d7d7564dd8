import { get } from 'node:http';
import { processEnvironment } from '../settings/process-environment.js';

const TIMEOUT_MS = 4_000;

/** The health check of the image: exits with 0 if `/readyz` of the internal listener of this container returns 200, else 1. */
const { INTERNAL_HOST = '', INTERNAL_PORT } = processEnvironment();
const address = new Map([
  ['', '127.0.0.1'],
  ['0.0.0.0', '127.0.0.1'],
  ['::', '::1'],
]).get(INTERNAL_HOST);
const host = address ?? INTERNAL_HOST;
const port = INTERNAL_PORT || 8081;
const request = get({ host, port, path: '/readyz', timeout: TIMEOUT_MS }, (response) => {
  response.resume();
  response.once('end', () => {
    console.log(`/readyz: ${response.statusCode}`);
    process.exitCode = response.statusCode === 200 ? 0 : 1;
  });
});
request.once('timeout', () => request.destroy(new Error(`no answer within ${TIMEOUT_MS} ms`)));
request.once('error', (fault) => {
  console.error(`oddswire: cannot read /readyz on ${host}, port ${port}: ${fault.message}`);
  process.exitCode = 1;
});
