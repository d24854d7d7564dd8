import { expect } from 'chai';
import fc from 'fast-check';
import { isRecorded, readTraceParent, traceParentOf } from '../../../src/adapters/tracing/trace-context.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

// biome-ignore format: a table is read by its columns
const ROWS: readonly (readonly [header: string, isSampled: boolean | null])[] = [
  [`00-${TRACE}-${SPAN}-01`,               true],
  [`00-${TRACE}-${SPAN}-00`,               false],
  [`00-${TRACE}-${SPAN}-03`,               true],
  [`00-${TRACE}-${SPAN}-02`,               false],
  [`cc-${TRACE}-${SPAN}-01`,               true],
  [`cc-${TRACE}-${SPAN}-01-more`,          true],
  [`00-${TRACE}-${SPAN}-01-more`,          null],
  [`ff-${TRACE}-${SPAN}-01`,               null],
  [`00-${'0'.repeat(32)}-${SPAN}-01`,      null],
  [`00-${TRACE}-${'0'.repeat(16)}-01`,     null],
  [`00-${TRACE.toUpperCase()}-${SPAN}-01`, null],
  [`00-${TRACE}-${SPAN}`,                  null],
  [`00-${TRACE}-${SPAN}-1`,                null],
  [`00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`, null],
  [`cc-${TRACE}-${SPAN}-01-${'a'.repeat(300)}`, null],
  ['',                                     null],
];

describe('traceparent', () => {
  for (const [header, isSampled] of ROWS) {
    const what = isSampled === null ? 'is not valid' : isSampled ? 'is sampled' : 'is not sampled';
    it(`${what}: ${header.slice(0, 70)}`, () => {
      const expected = isSampled === null ? null : { traceId: TRACE, spanId: SPAN, isSampled };
      expect(readTraceParent(header)).to.deep.equal(expected);
    });
  }

  it('is read as it was written', () => {
    const digits = (length: number) =>
      fc
        .array(fc.constantFrom(...'0123456789abcdef'), { minLength: length, maxLength: length })
        .map((all) => all.join(''))
        .filter((text) => !/^0+$/.test(text));
    fc.assert(
      fc.property(digits(32), digits(16), fc.boolean(), (traceId, spanId, isSampled) => {
        const context = { traceId, spanId, isSampled };
        expect(readTraceParent(traceParentOf(context))).to.deep.equal(context);
      }),
    );
  });
});

describe('The recording of a trace', () => {
  const sent = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) };
  // biome-ignore format: a table is read by its columns
  for (const [trustsCallers, isSampled, random, expected] of [
    [true,  true,  0.99, true],
    [true,  false, 0,    false],
    [true,  null,  0.09, true],
    [true,  null,  0.1,  false],
    [false, true,  0.99, false],
    [false, true,  0.09, true],
    [false, false, 0.09, true],
    [false, null,  0.1,  false],
  ] as const) {
    it(`is decided by ${trustsCallers && isSampled !== null ? 'the caller' : 'the service'} (${trustsCallers}, ${isSampled}, ${random})`, () => {
      const context = isSampled === null ? null : { ...sent, isSampled };
      expect(isRecorded(context, { trustsCallers, percent: 10 }, random)).to.equal(expected);
    });
  }
});
