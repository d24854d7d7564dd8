import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { expect } from 'chai';

/** Reads as `upgrade-and-back` does, until the first round has ended. */
const SCRIPT = `. ops/drills/drill.sh
start_reading any
while [ ! -s "$reading/good" ] && [ ! -s "$reading/bad" ]; do sleep 0.05; done
stop_reading 'the reading'`;

describe('The reading of a drill, from at least one instance', () => {
  const servers: Server[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) server.close();
  });

  /** An instance that answers with these statuses, and then with the last one again. */
  const instance = async (...statuses: readonly number[]) => {
    let asked = 0;
    const server = createServer((_request, response) => {
      response.writeHead(statuses[Math.min(asked, statuses.length - 1)] ?? 200).end();
      asked += 1;
    });
    servers.push(server);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
  const read = async (...urls: readonly string[]) => {
    const env = { PATH: process.env['PATH'], PUBLIC_URLS: urls.join(' '), KEY: 'a-key' };
    return promisify(execFile)('sh', ['-c', SCRIPT, 'drill'], { env });
  };

  it('passes if each was away at the moment when it was asked, and one has come back', async () => {
    const { stdout } = await read(await instance(503, 200), await instance(503));
    expect(stdout).to.match(/passed: the reading: [1-9]/);
  });

  it('fails if all were away', async () => {
    const fault = await read(await instance(503), await instance(503)).catch((one: unknown) => one);
    expect(fault).to.have.property('code', 1);
    expect(fault).to.have.property('stderr').that.includes('503 503');
  });
});
