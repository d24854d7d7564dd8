import 'reflect-metadata';
import { instanceCachingFactory, container as root } from 'tsyringe';
import { Hooks } from './hooks.js';

type Factories = Readonly<Record<string, () => unknown>>;

/** The components that a layer adds: each has the name of its factory and the type that the factory returns. */
export type Made<Layer extends (...given: never) => Factories> = {
  readonly [Name in keyof ReturnType<Layer>]: ReturnType<ReturnType<Layer>[Name]>;
};

/** A function that returns new factories for components that a layer has registered. */
export type Replacement<Parts> = (
  parts: Parts,
  hooks: Hooks,
) => { readonly [Name in keyof Parts]?: () => Parts[Name] };

/**
 * Registers a factory for each component of the service, layer by layer. A layer is a function of the components of the
 * layers before it. The type of all components is derived from what the layers return.
 *
 * A component is created once, when it is first read. A layer runs when it is added, before any replacement. Therefore
 * only its factories and hooks may read components that a test or a command replaces.
 */
export class Container<Parts extends object = object> {
  readonly #di = root.createChildContainer();
  readonly hooks = new Hooks();
  /** A read costs half a microsecond: code that runs for each request must destructure its components when it is created. */
  readonly parts = readable<Parts>((name) => this.#di.resolve(name));
  readonly #names: string[] = [];

  /** The names of all components. */
  get names(): readonly string[] {
    return this.#names;
  }

  with<Added extends Factories>(
    layer: (parts: Parts, hooks: Hooks) => Added,
  ): Container<Parts & Made<() => Added>> {
    for (const [name, make] of Object.entries(layer(this.parts, this.hooks))) {
      if (this.#di.isRegistered(name)) throw new Error(`two layers register ${name}`);
      this.#names.push(name);
      this.#register(name, make);
    }
    return this as unknown as Container<Parts & Made<() => Added>>;
  }

  /** Uses the last factory of each name. Outside its factories, a replacement reads the components that it replaces. */
  replace(replacement: Replacement<Parts>): this {
    const factories = replacement(this.parts, this.hooks) as Partial<Factories>;
    for (const [name, make] of Object.entries(factories)) {
      if (!this.#di.isRegistered(name)) throw new Error(`cannot replace ${name}: no layer registers it`);
      if (make !== undefined) this.#register(name, make);
    }
    return this;
  }

  #register(name: string, make: () => unknown): void {
    this.#di.register(name, { useFactory: instanceCachingFactory(make) });
  }
}

/** Factories of components that exist already. */
export const existing = <Parts extends object>(parts: Parts) =>
  Object.fromEntries(Object.entries(parts).map(([name, component]) => [name, () => component])) as {
    readonly [Name in keyof Parts]: () => Parts[Name];
  };

/** `parts` with some components replaced or added, for one callee. */
export const overlay = <Parts extends object, More extends object>(parts: Parts, more: More) =>
  readable<Omit<Parts, keyof More> & More>((name) =>
    Reflect.get(Object.hasOwn(more, name) ? more : parts, name),
  );

function readable<Parts extends object>(read: (name: string) => unknown): Parts {
  return new Proxy({} as Parts, {
    get: (_, name) => (typeof name === 'string' ? read(name) : undefined),
    ownKeys: () => {
      throw new Error(
        'components cannot be spread: that would create all of them. Use `overlay`, or name the ones needed',
      );
    },
  });
}
