import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import * as library from '@modelcontextprotocol/server';
import { expect } from 'chai';
import { toolServers } from '../../../src/adapters/mcp/tool-server.js';

describe('A tool that fails', () => {
  it('names the request under which its fault is logged', async () => {
    const reported: unknown[] = [];
    const fault = new Error('secret');
    const server = toolServers(
      library,
      '0',
    )({
      callApi: () => Promise.reject(fault),
      report: (thrown) => reported.push(thrown),
      requestId: 'r1',
    });
    const [ours, theirs] = InMemoryTransport.createLinkedPair();
    const client = new Client({ name: 'test', version: '1' });
    await Promise.all([server.connect(ours), client.connect(theirs)]);
    const result = await client.callTool({ name: 'usage', arguments: {} });
    expect(JSON.stringify(result)).to.include('request_id\\":\\"r1').and.not.include('secret');
    expect(reported).to.deep.equal([fault]);
    await client.close();
  });
});
