import { expect } from 'chai';
import { answerFormOf } from '../../../src/adapters/mcp/answer-form.js';

describe('The form of an answer to an agent', () => {
  // biome-ignore format: a table is read by its columns
  for (const [accept, form] of [
    [undefined,                                        'json'],
    ['',                                               'json'],
    ['*/*',                                            'json'],
    ['application/*',                                  'json'],
    ['application/json',                               'json'],
    ['Application/JSON; charset=utf-8',                'json'],
    ['text/html, */*;q=0.8',                           'json'],
    ['application/json, text/event-stream',            'either'],
    ['text/event-stream;q=0.5,application/json;q=0.9', 'either'],
    ['text/event-stream, */*',                         'either'],
    ['text/html',                                      'none'],
    ['text/event-stream',                              'none'],
  ] as const) {
    it(`is ${form} for “${accept}”`, () => {
      expect(answerFormOf(accept)).to.equal(form);
    });
  }
});
