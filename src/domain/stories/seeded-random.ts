/** Pseudo-random numbers, the same for the same seed (mulberry32). */
export class SeededRandom {
  #state: number;

  constructor(seed: number) {
    // Consecutive seeds would start with similar numbers; this mixes them.
    this.#state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) >>> 0;
  }

  /** Numbers for a name: the same for the same text (FNV-1a). */
  static of(name: string): SeededRandom {
    let seed = 0x811c9dc5;
    for (let i = 0; i < name.length; i += 1) seed = Math.imul(seed ^ name.charCodeAt(i), 0x01000193);
    return new SeededRandom(seed);
  }

  /** A number from 0 (included) to 1 (excluded). */
  fraction(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** A whole number from `least` to `most`, both included. */
  whole(least: number, most: number): number {
    return least + Math.floor(this.fraction() * (most - least + 1));
  }

  /** True with probability `share`. */
  chance(share: number): boolean {
    return this.fraction() < share;
  }

  pick<Choice>(choices: readonly [Choice, ...Choice[]]): Choice {
    return choices[this.whole(0, choices.length - 1)] ?? choices[0];
  }

  /** `count` different choices in their order; all of them if there are fewer. */
  some<Choice>(choices: readonly Choice[], count: number): readonly Choice[] {
    let wanted = Math.min(count, choices.length);
    return choices.filter((_, i) => {
      const taken = this.chance(wanted / (choices.length - i));
      if (taken) wanted -= 1;
      return taken;
    });
  }
}
