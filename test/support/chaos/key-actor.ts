import type { SeededRandom } from '../../../src/domain/stories/seeded-random.js';
import type { KeyView } from '../service/api-calls.js';
import { anInstance, issueKey, openAccount, operate, pause, type Stage } from './calls.js';
import { judgeStream, type KeyProbes, openStream, REACHES_ALL_MS } from './key-probes.js';
import type { RunRecord } from './record.js';

/** A key at the end of its actions, and how often each audit event may occur (D25). */
export type KnownKey = {
  readonly id: string;
  readonly status: 'active' | 'revoked';
  readonly cause: 'manual' | 'rotation' | null;
  /** By event: the acknowledged calls, and all requests for them. */
  readonly events: ReadonlyMap<string, { readonly acknowledged: number; readonly attempts: number }>;
};

type HolderKey = {
  readonly id: string;
  readonly key: string;
  readonly events: Map<string, { acknowledged: number; attempts: number }>;
};

/** The holder of keys: creates, holds, releases, rotates and revokes them, each after the one before was acknowledged. */
export class KeyActor {
  readonly #name: string;
  readonly #stage: Stage;
  readonly #record: RunRecord;
  readonly #random: SeededRandom;
  readonly #probes: KeyProbes;
  readonly #judging: Promise<void>[] = [];
  readonly known: KnownKey[] = [];
  /** The values of all keys, which no log may have. */
  readonly values: string[] = [];

  constructor(name: string, stage: Stage, record: RunRecord, random: SeededRandom, probes: KeyProbes) {
    this.#name = name;
    this.#stage = stage;
    this.#record = record;
    this.#random = random;
    this.#probes = probes;
  }

  async run(): Promise<void> {
    for (let round = 0; !this.#stage.isOver(); round += 1) {
      await this.#live(round);
      await pause(this.#random, 50, 500);
    }
    await Promise.all(this.#judging);
  }

  /** The life of one account with its keys. */
  async #live(round: number): Promise<void> {
    const { installation } = this.#stage;
    const email = `${this.#name}-${round}@example.org`;
    const account = await openAccount(installation, this.#any(), email, 'pro');
    const first = await this.#issue(account);
    if (first === null) return;
    await pause(this.#random, 0, 300);
    if (this.#random.chance(0.5)) await this.#holdAndRelease(first);
    const last = this.#random.chance(0.5) ? await this.#rotate(first) : first;
    await this.#revoke(last);
  }

  async #issue(account: string): Promise<HolderKey | null> {
    const issued = await issueKey(this.#stage.installation, this.#any(), account);
    return issued === null ? null : this.#holder(issued.key_id, issued.key, issued.attempts);
  }

  #holder(id: string, key: string, attempts: number): HolderKey {
    this.values.push(key);
    this.#record.count('keys issued');
    if (attempts > 1) this.#record.count('key calls sent again', attempts - 1);
    this.#probes.set(id, key, 'valid');
    return { id, key, events: new Map([['issued', { acknowledged: 1, attempts: 1 }]]) };
  }

  async #holdAndRelease(held: HolderKey): Promise<void> {
    await this.#act(held, 'hold', { reason: 'chaos' }, 'held');
    this.#probes.set(held.id, held.key, 'held');
    await pause(this.#random, 500, REACHES_ALL_MS + 500);
    await this.#act(held, 'release', { reason: 'chaos' }, 'released');
    this.#probes.set(held.id, held.key, 'valid');
    await pause(this.#random, 0, 300);
  }

  /** Returns the successor. */
  async #rotate(held: HolderKey): Promise<HolderKey> {
    const { installation } = this.#stage;
    const { reply, attempts } = await operate(
      installation,
      this.#any(),
      'POST',
      `/keys/${held.id}/rotate`,
      {},
    );
    // A request without an answer has rotated it already, and nobody has the successor: the account goes on with this key.
    if (reply.status === 409 && attempts > 1) return held;
    if (reply.status !== 201) {
      this.#record.violated('a rotation is accepted', `key ${held.id}: ${reply.status} ${reply.text}`);
      return held;
    }
    const { key, key_id: id } = reply.json as KeyView;
    const successor = this.#holder(id, key, attempts);
    await pause(this.#random, 0, 300);
    // In its grace window it is served, as before (D22).
    await this.#act(held, 'revoke', { cause: 'rotation' }, 'rotated');
    this.#record.count('keys rotated');
    this.#probes.set(held.id, held.key, 'valid');
    this.known.push({ id: held.id, status: 'revoked', cause: 'rotation', events: held.events });
    this.#probes.forgetLater(held.id);
    return successor;
  }

  async #revoke(held: HolderKey): Promise<void> {
    const instance = this.#any();
    const stream = await openStream(this.#stage, instance, held.key);
    await pause(this.#random, 0, 300);
    await this.#act(held, 'revoke', { cause: 'manual', reason: 'chaos' }, 'revoked');
    this.#record.count('keys revoked');
    this.#probes.set(held.id, held.key, 'revoked');
    this.known.push({ id: held.id, status: 'revoked', cause: 'manual', events: held.events });
    if (stream !== null) this.#judging.push(judgeStream(stream, held.id, instance, this.#record));
    this.#probes.forgetLater(held.id);
  }

  async #act(held: HolderKey, verb: string, body: object, event: string): Promise<void> {
    const { installation } = this.#stage;
    this.#probes.set(held.id, held.key, 'changing');
    const { reply, attempts } = await operate(
      installation,
      this.#any(),
      'POST',
      `/keys/${held.id}/${verb}`,
      body,
    );
    // A repeated call may find that an earlier one had its effect.
    if (reply.status !== 200 && !(reply.status === 409 && attempts > 1))
      this.#record.violated(
        'a valid call is accepted',
        `${verb} of ${held.id}: ${reply.status} ${reply.text}`,
      );
    if (attempts > 1) this.#record.count('key calls sent again', attempts - 1);
    const before = held.events.get(event) ?? { acknowledged: 0, attempts: 0 };
    held.events.set(event, {
      acknowledged: before.acknowledged + 1,
      attempts: before.attempts + attempts,
    });
  }

  #any(): number {
    return anInstance(this.#random);
  }
}
