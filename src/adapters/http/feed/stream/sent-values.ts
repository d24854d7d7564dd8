import type { Fault } from '../../../../domain/refusal.js';
import type { Parameter } from '../../parameters.js';

/** The value of a parameter that may be given once, or the fault in how it was sent; undefined if it is absent. */
export function onlyValue(name: string, sent: readonly Parameter[]): string | Fault | undefined {
  const [first, ...others] = sent.filter((parameter) => parameter.name === name);
  if (first === undefined) return undefined;
  if (others.length > 0) {
    return { parameter: name, code: 'repeated', message: 'is given more than once; give it once' };
  }
  return sentValue(first);
}

/** The value of a parameter, or the fault in how it was sent. */
export function sentValue({ name, value }: Parameter): string | Fault {
  if (value === undefined) {
    return { parameter: name, code: 'invalid_encoding', message: 'is not valid percent-encoded UTF-8' };
  }
  if (value === '') {
    return { parameter: name, code: 'empty', message: 'is empty; leave it out or give it a value' };
  }
  return value;
}
