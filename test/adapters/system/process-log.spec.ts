import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { boundedDestination, jsonLog } from '../../../src/adapters/system/json-log.js';
import { prettyDestination } from '../../../src/adapters/system/process-log.js';

const PROCESS_LOG = new URL('../../../src/adapters/system/process-log.js', import.meta.url).href;

/** Logs one line with the number of loaded modules of pino-pretty. */
const writer = (logFormat: string) => `
import { createRequire } from 'node:module';
import { processLog } from ${JSON.stringify(PROCESS_LOG)};
const log = processLog({ logLevel: 'info', logFormat: ${JSON.stringify(logFormat)} });
const loaded = Object.keys(createRequire(${JSON.stringify(PROCESS_LOG)}).cache);
log.info({ loaded: loaded.filter((file) => file.includes('pino-pretty')).length }, 'one line');
`;

const outputOf = (logFormat: string): string =>
  spawnSync(process.execPath, ['--input-type=module', '--eval', writer(logFormat)], { encoding: 'utf8' })
    .stdout;

describe('A log of readable lines', () => {
  let folder: string;
  let fd: number;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'oddswire-'));
    fd = openSync(join(folder, 'log'), 'w');
  });
  afterEach(() => {
    closeSync(fd);
    rmSync(folder, { recursive: true });
  });

  const logged = async (fields: object, message: string): Promise<string> => {
    const log = jsonLog('info', prettyDestination(boundedDestination(fd)));
    log.info(fields, message);
    await new Promise((done) => log.flush(done));
    return readFileSync(join(folder, 'log'), 'utf8');
  };

  it('has the time, the level, the message and the fields of an event in one line', async () => {
    const text = await logged({ port: 1, query: { limit: '2' } }, 'listening');
    expect(text).to.match(
      /^\[\d{4}-\d\d-\d\dT[\d:.]+Z\] INFO: listening \{"port":1,"query":\{"limit":"2"\}\}\n$/,
    );
  });

  it('shows the stack of an error line by line', async () => {
    const text = await logged({ err: new TypeError('no such thing') }, 'a request failed');
    expect(text).to.match(/INFO: a request failed.*\n\s+err: \{\n/);
    expect(text).to.match(/TypeError: no such thing\n\s+at /);
  });

  it('escapes control characters, so that none reaches the terminal', async () => {
    const text = await logged(
      { since: '\u009b31m\u001b[31m', err: new Error('a\u001b]0;title\u0007\r\u0000') },
      'mess\u001b[2J\u007fage',
    );
    expect(text).to.include('mess\\x1b[2J\\x7fage').and.include('a\\x1b]0;title\\x07');
    expect(text).to.include('\\x9b31m');
    expect(text).not.to.match(/(?!\n)\p{Cc}/u);
  });
});

describe('The log of a process', () => {
  it('is JSON in a pipe, and does not load pino-pretty', () => {
    for (const format of ['auto', 'json']) {
      expect(JSON.parse(outputOf(format))).to.include({ level: 30, loaded: 0, msg: 'one line' });
    }
  });

  it('has readable lines in a pipe with LOG_FORMAT=pretty, including the last line', () => {
    expect(outputOf('pretty')).to.match(/^\[[^\]]+\] INFO: one line \{"loaded":[1-9]\d*\}\n$/);
  });
});
