import { expect } from 'chai';
import { Container, overlay } from '../../src/composition/container.js';

describe('The container', () => {
  const first = () => ({ one: () => ({ n: 1 }) });

  it('makes a layer of the parts of the layers before it, each when it is first read', () => {
    const made: string[] = [];
    const { parts } = new Container().with(first).with((before) => ({
      two: () => {
        made.push('two');
        return { n: before.one.n + 1 };
      },
      never: () => expect.fail('nobody reads it'),
    }));
    expect(made).to.deep.equal([]);
    expect([parts.two.n, parts.two.n, made]).to.deep.equal([2, 2, ['two']]);
  });

  it('refuses two layers that make a part of one name', () => {
    expect(() => new Container().with(first).with(first)).to.throw('two layers make one');
  });

  it('refuses to be spread, which would make every part', () => {
    const { parts } = new Container().with(first);
    expect(() => ({ ...parts })).to.throw('cannot be spread');
    expect(() => ({ ...overlay(parts, { two: 2 }) })).to.throw('cannot be spread');
  });

  it('gives some parts otherwise in an overlay, and leaves the rest as they are', () => {
    const { parts } = new Container().with(first).with(() => ({ two: () => 2 }));
    const other = overlay(parts, { two: null });
    expect([other.one, other.two, parts.two]).to.deep.equal([parts.one, null, 2]);
  });

  it('keeps nothing of another container', () => {
    const { parts } = new Container().with(first);
    expect(new Container().with(first).parts.one).not.to.equal(parts.one);
  });
});
