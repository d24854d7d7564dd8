import { expect } from 'chai';
import { faultProblem } from '../../../src/adapters/http/answer/faults.js';
import { Unavailable } from '../../../src/application/unavailable.js';

describe('The answer to a fault', () => {
  const context = {
    instance: '/',
    requestId: 'id',
    references: { docsUrl: () => '/docs', planUrl: () => '', support: null, links: '' },
  };
  const answerTo = (fault: unknown) => {
    const { status, headers, document } = faultProblem(fault, context);
    return [status, document.code, headers['Retry-After']];
  };
  const tooMany = Object.assign(new Error('too many open files'), { code: 'EMFILE' });

  it('is 503 with Retry-After if the process has no free descriptor, also as the cause of another fault', () => {
    expect(answerTo(tooMany)).to.deep.equal([503, 'overloaded', '1']);
    expect(answerTo(new Error('no connection', { cause: tooMany }))).to.deep.equal([503, 'overloaded', '1']);
    expect(answerTo(new Unavailable('Postgres', tooMany))).to.deep.equal([503, 'overloaded', '1']);
  });

  it('is 503 for a dependency that does not answer, and 500 for anything else', () => {
    expect(answerTo(new Unavailable('Postgres'))).to.deep.equal([503, 'unavailable', '1']);
    expect(answerTo(new Error('a mistake'))).to.deep.equal([500, 'internal', undefined]);
  });
});
