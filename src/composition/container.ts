import 'reflect-metadata';
import { instanceCachingFactory, container as root } from 'tsyringe';
import { Hooks } from './hooks.js';

type Factories = Readonly<Record<string, () => unknown>>;

/** The parts that a layer adds: each under the name of its factory, of the type that the factory returns. */
export type Made<Layer extends (...given: never) => Factories> = {
  readonly [Name in keyof ReturnType<Layer>]: ReturnType<ReturnType<Layer>[Name]>;
};

/** Other factories for parts that a layer has registered. */
export type Replacement<Parts> = (
  parts: Parts,
  hooks: Hooks,
) => { readonly [Name in keyof Parts]?: () => Parts[Name] };

/**
 * Registers a factory for each part of the service, layer by layer. A layer is a function of the parts of the layers
 * before it, and the type of all parts is derived from what the layers return.
 *
 * A part is made when it is first read, and only once. A layer itself runs when it is added, before any replacement. So
 * only its factories and hooks may read parts that a test or a command replaces.
 */
export class Container<Parts extends object = object> {
  readonly #di = root.createChildContainer();
  readonly hooks = new Hooks();
  /** A read costs half a microsecond: code that runs for each request takes its parts apart when it is made. */
  readonly parts = readable<Parts>((name) => this.#di.resolve(name));
  readonly #names: string[] = [];

  /** The names of all parts. */
  get names(): readonly string[] {
    return this.#names;
  }

  with<Added extends Factories>(
    layer: (parts: Parts, hooks: Hooks) => Added,
  ): Container<Parts & Made<() => Added>> {
    for (const [name, make] of Object.entries(layer(this.parts, this.hooks))) {
      if (this.#di.isRegistered(name)) throw new Error(`two layers make ${name}`);
      this.#names.push(name);
      this.#register(name, make);
    }
    return this as unknown as Container<Parts & Made<() => Added>>;
  }

  /** The last factory of a part counts. A part that the replacement reads outside its factories is the former one. */
  replace(replacement: Replacement<Parts>): this {
    const factories = replacement(this.parts, this.hooks) as Partial<Factories>;
    for (const [name, make] of Object.entries(factories)) {
      if (!this.#di.isRegistered(name)) throw new Error(`there is no part ${name} to be replaced`);
      if (make !== undefined) this.#register(name, make);
    }
    return this;
  }

  #register(name: string, make: () => unknown): void {
    this.#di.register(name, { useFactory: instanceCachingFactory(make) });
  }
}

/** `parts` with some of them replaced, or others added, for one callee. */
export const overlay = <Parts extends object, More extends object>(parts: Parts, more: More) =>
  readable<Omit<Parts, keyof More> & More>((name) =>
    Reflect.get(Object.hasOwn(more, name) ? more : parts, name),
  );

function readable<Parts extends object>(read: (name: string) => unknown): Parts {
  return new Proxy({} as Parts, {
    get: (_, name) => (typeof name === 'string' ? read(name) : undefined),
    ownKeys: () => {
      throw new Error(
        'parts cannot be spread: that would make all of them. Use `overlay`, or name those needed',
      );
    },
  });
}
