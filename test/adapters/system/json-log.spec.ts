import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect } from 'chai';
import { jsonLog } from '../../../src/adapters/system/json-log.js';
import { LOG_LEVELS } from '../../../src/settings/log-level.js';

const JSON_LOG = new URL('../../../src/adapters/system/json-log.js', import.meta.url).href;

/** Writes 40 lines of 1 MB to a pipe that has no reader, and reports how many were lost. */
const WRITER = `
import { boundedDestination, jsonLog } from ${JSON.stringify(JSON_LOG)};
const destination = boundedDestination();
let lost = 0;
destination.on('drop', () => { lost += 1; });
const log = jsonLog('info', destination);
for (let i = 0; i < 40; i += 1) log.info('x'.repeat(1_048_576));
process.send(lost);
`;

const logged = (level: (typeof LOG_LEVELS)[number]) => {
  const lines: string[] = [];
  return { lines, log: jsonLog(level, { write: (line: string) => void lines.push(line) }) };
};

describe('The log', () => {
  it('has one JSON object a line, with the time in ISO 8601, without host name and process id', () => {
    const { lines, log } = logged('info');
    log.info({ port: 1, text: 'two\nlines' }, 'listening');
    expect(lines).to.have.length(1);
    expect(lines[0]).to.match(/^[^\n]*\n$/);
    const { time, ...others } = JSON.parse(lines[0] ?? '') as Record<string, unknown>;
    expect(time).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(others).to.deep.equal({ level: 30, port: 1, text: 'two\nlines', msg: 'listening' });
  });

  it('contains an error with its stack and its cause', () => {
    const { lines, log } = logged('info');
    log.error(
      { err: new TypeError('no such thing', { cause: new Error('the store broke') }) },
      'a request failed',
    );
    const { err } = JSON.parse(lines[0] ?? '') as { err: Record<string, string> };
    expect(err).to.include({ type: 'TypeError' });
    expect(err['message']).to.include('no such thing');
    expect(err['stack']).to.include('json-log.spec').and.include('the store broke');
  });

  // In a separate process: the lines that wait for the pipe end with it and do not affect other specs.
  it('buffers 16 MB for a blocked reader and drops further lines', async () => {
    const writer = spawn(process.execPath, ['--input-type=module', '--eval', WRITER], {
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    });
    const exit = once(writer, 'exit');
    try {
      const [lost] = await Promise.race([once(writer, 'message'), exit]);
      expect(lost).to.be.within(23, 25);
    } finally {
      writer.kill('SIGKILL');
      await exit;
    }
  });

  for (const [level, count] of [
    ['trace', 6],
    ['debug', 5],
    ['info', 4],
    ['warn', 3],
    ['error', 2],
    ['fatal', 1],
    ['silent', 0],
  ] as const) {
    it(`contains messages of level ${level} and above if the level is ${level}`, () => {
      const { lines, log } = logged(level);
      for (const one of LOG_LEVELS) if (one !== 'silent') log[one](one);
      expect(lines).to.have.length(count);
    });
  }
});
