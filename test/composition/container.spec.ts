import { expect } from 'chai';
import { Container, overlay } from '../../src/composition/container/container.js';

describe('The container', () => {
  const first = () => ({ one: () => ({ n: 1 }) });

  it('creates a component from those of earlier layers, when it is first read', () => {
    const created: string[] = [];
    const { parts } = new Container().with(first).with((before) => ({
      two: () => {
        created.push('two');
        return { n: before.one.n + 1 };
      },
      never: () => expect.fail('no code reads it'),
    }));
    expect(created).to.deep.equal([]);
    expect([parts.two.n, parts.two.n, created]).to.deep.equal([2, 2, ['two']]);
  });

  it('refuses two layers that register the same name', () => {
    expect(() => new Container().with(first).with(first)).to.throw('two layers register one');
  });

  it('refuses to be spread, which would create every component', () => {
    const { parts } = new Container().with(first);
    expect(() => ({ ...parts })).to.throw('cannot be spread');
    expect(() => ({ ...overlay(parts, { two: 2 }) })).to.throw('cannot be spread');
  });

  it('returns replaced components from an overlay, and all others unchanged', () => {
    const { parts } = new Container().with(first).with(() => ({ two: () => 2 }));
    const other = overlay(parts, { two: null });
    expect([other.one, other.two, parts.two]).to.deep.equal([parts.one, null, 2]);
  });

  it('shares no component with another container', () => {
    const { parts } = new Container().with(first);
    expect(new Container().with(first).parts.one).not.to.equal(parts.one);
  });
});
