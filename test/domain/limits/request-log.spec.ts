import { expect } from 'chai';
import fc from 'fast-check';
import { keyFormat } from '../../../src/domain/keys/key-value.js';
import {
  FAILED_PER_KEY,
  isKept,
  keptOfKeys,
  keptRequests,
  type LoggedRequest,
  limitedRequests,
  loggedQuery,
  REQUESTS_PER_KEY,
  REQUESTS_PER_WRITE,
  requestsToWrite,
} from '../../../src/domain/limits/request-log.js';
import { plus, SECOND } from '../../../src/domain/moment.js';
import { keyId, NOON, runs } from '../../support/objects/builders.js';
import { failedRequest, loggedRequest } from '../../support/objects/logged-requests.js';

const { redact } = keyFormat('svc_');
const KEY = `svc_${'a'.repeat(42)}A`;
const at = (seconds: number) => plus(NOON, seconds * SECOND);
const failures = (requests: readonly LoggedRequest[]) =>
  requests.filter(({ status }) => status === 429).length;

describe('The request log', () => {
  it('keeps a failed request for the next write while fewer than 500 failed ones wait, and others while fewer than 500 wait', () => {
    const rows: readonly (readonly [
      isFailure: boolean,
      failed: number,
      others: number,
      ofKey: number,
      kept: boolean,
    ])[] = [
      [true, 0, 500, 0, true],
      [true, 499, 0, 0, true],
      [true, 500, 0, 0, false],
      [false, 0, 499, 0, true],
      [false, 0, 500, 0, false],
      [false, 500, 0, 0, false],
    ];
    for (const [isFailure, failed, others, ofKey, kept] of rows)
      expect(isKept(isFailure, { failed, others, ofKey }), `${[isFailure, failed, others]}`).to.equal(kept);
  });

  it('keeps at most 100 of a key for a write, and of a successful key only 10 in the second half', () => {
    expect(isKept(false, { failed: 0, others: 99, ofKey: 99 })).to.equal(true);
    expect(isKept(false, { failed: 0, others: 100, ofKey: 100 })).to.equal(false);
    expect(isKept(false, { failed: 0, others: 250, ofKey: 9 })).to.equal(true);
    expect(isKept(false, { failed: 0, others: 250, ofKey: 10 })).to.equal(false);
    expect(isKept(true, { failed: 250, others: 0, ofKey: 99 })).to.equal(true);
    expect(isKept(true, { failed: 250, others: 0, ofKey: 100 })).to.equal(false);
  });

  it('writes failed requests first, and at most 500', () => {
    const failed = Array.from({ length: 300 }, () => failedRequest());
    const others = Array.from({ length: 300 }, () => loggedRequest());
    const written = requestsToWrite(failed, others);
    expect(written).to.deep.equal([...failed, ...others.slice(0, 200)]);
    expect(written).to.have.length(REQUESTS_PER_WRITE);
  });

  it('keeps the newest 100 of a key, newest first', () => {
    const all = Array.from({ length: 150 }, (_, i) => loggedRequest({ at: at(i) }));
    const mixed = [...all.slice(70), ...all.slice(0, 70)];
    expect(keptRequests(mixed)).to.deep.equal(all.slice(50).toReversed());
  });

  it('keeps 50 older failed requests of a busy key', () => {
    const failed = Array.from({ length: 80 }, (_, i) => failedRequest({ at: at(i) }));
    const later = Array.from({ length: 200 }, (_, i) => loggedRequest({ at: at(100 + i) }));
    const kept = keptRequests([...failed, ...later]);
    expect(kept).to.deep.equal([...later.slice(150).toReversed(), ...failed.slice(30).toReversed()]);
  });

  it('keeps no request that an earlier selection has dropped, in whatever steps requests arrive', () => {
    const request = fc
      .record({ seconds: fc.nat(1_000), isFailed: fc.boolean() })
      .map(({ seconds, isFailed }) => (isFailed ? failedRequest : loggedRequest)({ at: at(seconds) }));
    const distinct = fc.uniqueArray(request, { minLength: 90, maxLength: 260, selector: (each) => each.at });
    fc.assert(
      fc.property(distinct, fc.nat(260), (all, cut) => {
        const inSteps = keptRequests([...keptRequests(all.slice(0, cut)), ...all.slice(cut)]);
        expect(inSteps).to.deep.equal(keptRequests(all));
        expect(inSteps.length).to.equal(Math.min(all.length, REQUESTS_PER_KEY));
        expect(failures(inSteps)).to.be.at.least(Math.min(failures(all), FAILED_PER_KEY));
      }),
      runs(50),
    );
  });

  it('selects the requests of each key by itself, and lists them together', () => {
    const [one, other] = [keyId('one'), keyId('other')];
    const ofOne = Array.from({ length: 120 }, (_, i) => loggedRequest({ key: one, at: at(2 * i) }));
    const ofOther = [loggedRequest({ key: other, at: at(3) }), loggedRequest({ key: other, at: at(201) })];
    const kept = keptOfKeys([...ofOther, ...ofOne]);
    expect(kept).to.have.length(102);
    expect(kept.map((request) => request.at)).to.deep.equal(
      kept
        .map((request) => request.at)
        .toSorted()
        .toReversed(),
    );
    expect(kept.filter(({ key }) => key === other)).to.deep.equal(ofOther.toReversed());
  });

  it('has no key of a query, wherever the key is', () => {
    for (const [query, logged] of [
      ['limit=10&q=halvex', 'limit=10&q=halvex'],
      [`api_key=${KEY}&limit=1`, 'api_key=[redacted]&limit=1'],
      ['api_key=anything', 'api_key=[redacted]'],
      ['api%5Fkey=anything', 'api%5Fkey=[redacted]'],
      ['Access-Token=a', 'Access-Token=[redacted]'],
      [`q=${KEY}`, 'q=svc_[redacted]'],
      [`cursor=%73vc_${'a'.repeat(43)}`, 'cursor=svc_[redacted]'],
      [KEY, 'svc_[redacted]'],
      ['', ''],
    ])
      expect(loggedQuery(query ?? '', redact), query).to.equal(logged);
  });

  it('tells how many requests with some keys were refused by a limit', () => {
    const [one, two, three] = [keyId('one'), keyId('two'), keyId('three')];
    const requests = [one, two, three].map((key) => failedRequest({ key }));
    const others = [failedRequest({ key: one, status: 402 }), loggedRequest({ key: one })];
    expect(limitedRequests([...requests, ...others], [{ id: one }, { id: two }])).to.equal(2);
    expect(limitedRequests(requests, [])).to.equal(0);
  });

  it('cuts a long query', () => {
    expect(loggedQuery(`q=${'a'.repeat(600)}`, redact)).to.equal(`q=${'a'.repeat(498)}…`);
    expect(loggedQuery(`q=${'a'.repeat(480)}${KEY}`, redact)).not.to.include(KEY.slice(0, 20));
  });
});
