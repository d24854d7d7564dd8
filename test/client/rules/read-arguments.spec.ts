import { expect } from 'chai';
import {
  FILTER_FLAGS,
  queryOf,
  readArguments,
  TEXT,
  TEXTS,
} from '../../../packages/client/src/command/read-arguments.js';

const FLAGS = { limit: TEXT, 'market-id': TEXTS, json: { type: 'boolean' }, ...FILTER_FLAGS } as const;
const SECRET = 'svc_secret';

// biome-ignore format: a table is read by its columns
const WRONG: readonly (readonly [args: readonly string[], failed: string])[] = [
  [['--key', SECRET],      'the key is read from ODDSWIRE_KEY only'],
  [['--api_key', SECRET],  'the key is read from ODDSWIRE_KEY only'],
  [[SECRET],               'every argument needs the name of an option'],
  [['--from', SECRET],     'there is no such option: --from'],
  [['-x'],                 'there is no such option'],
  [['--limit'],            'an option has no value, or one too many'],
  [['--json=yes'],         'an option has no value, or one too many'],
];

describe('The arguments of a command', () => {
  for (const [args, failed] of WRONG) {
    it(`are refused without a value of them: ${args.join(' ')}`, () => {
      expect(readArguments(args, FLAGS)).to.deep.equal({ failed });
    });
  }

  it('have the names of the API, with underscores or dashes', () => {
    for (const args of [
      ['--market_id', 'a', '--market-id=b_c', '--source_tier=t_1', '--json'],
      ['--market-id', 'a', '--market_id=b_c', '--source-tier', 't_1', '--json'],
    ]) {
      const read = readArguments(args, FLAGS);
      if ('failed' in read) throw new Error(read.failed);
      const { json: _, ...parameters } = FLAGS;
      expect(queryOf(read.values, parameters)).to.deep.equal({ market_id: ['a', 'b_c'], source_tier: 't_1' });
      expect(read.values['json']).to.equal(true);
    }
  });

  it('can be references where the command takes some', () => {
    const read = readArguments(['https://a/b', '--q', 'x'], FLAGS, true);
    expect(read).to.have.deep.property('positionals', ['https://a/b']);
  });
});
