import { expect } from 'chai';
import {
  passwordsOf,
  serverAddress,
  withoutSecrets,
} from '../../../src/adapters/findings/without-secrets.js';

describe('A text without secrets', () => {
  // biome-ignore format: a table is read by its columns
  const rows = [
    ['a text without one',           'nothing here',        ['secret'],            'nothing here'],
    ['every occurrence',             'secret and secret',   ['secret'],            '*** and ***'],
    ['the longer of two first',      'secret-of-it failed', ['secret', 'secret-of-it'], '*** failed'],
    ['not a value of few characters', 'a or b',             ['a', 'or'],           'a or b'],
    ['text of regular expressions',  'key $& (x) failed',   ['$& (x)'],            'key *** failed'],
  ] as const;
  for (const [title, text, secrets, shown] of rows) {
    it(`replaces ${title}`, () => {
      expect(withoutSecrets(text, secrets)).to.equal(shown);
    });
  }

  it('shows of a URL only host, port and path', () => {
    expect(serverAddress('postgres://me:secret@db.example:5432/app?sslmode=require')).to.equal(
      'db.example:5432/app',
    );
    expect(serverAddress('https://id.example/')).to.equal('id.example');
  });

  it('knows a password as it is written and as it is sent', () => {
    expect(passwordsOf('redis://:p%40ss@host')).to.deep.equal(['p%40ss', 'p@ss']);
    expect(passwordsOf('redis://:p%zz@host')).to.deep.equal(['p%zz']);
  });
});
