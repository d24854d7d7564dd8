import { expect } from 'chai';
import fc from 'fast-check';
import { searchWords, wordsOfQuestion } from '../../../../src/domain/feed/filters/question-words.js';
import { wordsOf } from '../../../../src/domain/feed/filters/text-words.js';

const TEXTS = [
  'The central bank moved its rate, and markets moved the odds today.',
  'Will the Halvex Strait reopen to freight? The strait is closed.',
  'A freight company says what the closure of the Halvex Strait costs.',
  'The odds of a recession, and what the bank says of the odds.',
  'Cup final: what the coach says.',
];
const QUESTION = 'What moved the odds of the Halvex Strait reopening to freight today, and why?';
const chosen = (question: string, texts: readonly string[] = TEXTS) =>
  searchWords(wordsOfQuestion(question), texts);

describe('The words of a question that are searched for', () => {
  it('are at most four that occur together, the rarest first (D119)', () => {
    expect(chosen(QUESTION)).to.deep.equal(['halvex', 'strait', 'freight']);
    expect(chosen('Tell me what the coach of the bank says before the cup final, please')).to.deep.equal([
      ...['coach', 'cup', 'final'],
    ]);
    expect(chosen('Freight costs: closure of the strait costs what company?')).to.deep.equal([
      ...['costs', 'closure', 'company', 'freight'],
    ]);
  });

  it('are the longest ones if no text has any of them (D119)', () => {
    expect(chosen('Is a volcano in Iceland erupting now or tomorrow')).to.deep.equal([
      ...['erupting', 'tomorrow', 'volcano', 'iceland'],
    ]);
    expect(chosen('one two three four', [])).to.deep.equal(['three', 'four', 'one', 'two']);
    expect(chosen('What is it about?')).to.deep.equal(['is']);
  });

  it('are words of the question, and all of them are in one of the texts that have any', () => {
    const word = fc.constantFrom('b', 'c', 'd', 'e', 'f', 'g', 'h', 'Ü');
    const text = fc.array(word, { maxLength: 8 }).map((queryWords) => queryWords.join(' '));
    fc.assert(
      fc.property(fc.array(word, { minLength: 1 }), fc.array(text), (question, texts) => {
        const queryWords = wordsOfQuestion(question.join(' '));
        const found = searchWords(queryWords, texts);
        expect(found.length).to.be.within(1, 4);
        for (const each of found) expect(queryWords).to.include(each);
        const sets = texts.map((each) => wordsOf(each, 100));
        if (!sets.some((own) => queryWords.some((each) => own.has(each)))) return;
        expect(sets.some((own) => found.every((each) => own.has(each)))).to.equal(true);
      }),
    );
  });
});

describe('The words of a question', () => {
  it('are those that a filter compares, each once, and at most a hundred', () => {
    expect(wordsOfQuestion('Strait? The STRÄIT!')).to.deep.equal(['strait', 'the']);
    expect(wordsOfQuestion(Array.from({ length: 300 }, (_, i) => `w${i}`).join(' '))).to.have.length(100);
  });
});
