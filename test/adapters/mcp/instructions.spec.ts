import { expect } from 'chai';
import { allTools, INSTRUCTIONS } from '../../../src/adapters/mcp/tools.js';

describe('The instructions for agents', () => {
  it('name only times that an item has', () => {
    const result = allTools().find(({ name }) => name === 'search_news')?.outputSchema;
    const times = [...INSTRUCTIONS.matchAll(/`(\w+_at)`/g)].map(([, name]) => name);
    expect(times).not.to.deep.equal([]);
    for (const name of times) expect(JSON.stringify(result)).to.include(`"${name}":{`);
  });
});
