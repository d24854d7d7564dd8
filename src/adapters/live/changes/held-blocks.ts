/** A caller that does not come back, because its stream has ended or its client is slow, is not waited for any longer. */
const HOLD_MS = 250;

type Hold<Block> = { readonly block: Block; uses: number; readonly end: () => void };

/**
 * Blocks that were read for callers that have not used them yet. Where streams read more blocks than there is room for, each
 * read drops the block of another one. Without a hold they could all read for ever, and never get a change.
 */
export class HeldBlocks<Block> {
  readonly #holds = new Map<number, Hold<Block>>();

  /** Resolves when the block was used this often, or after some time. Before that, `use` returns it. */
  hold(key: number, block: Block, uses: number): Promise<void> {
    return new Promise((done) => {
      const end = () => {
        clearTimeout(timer);
        if (this.#holds.get(key)?.block === block) this.#holds.delete(key);
        done();
      };
      const timer = setTimeout(end, HOLD_MS).unref();
      this.#holds.set(key, { block, uses, end });
    });
  }

  has(block: Block): boolean {
    for (const hold of this.#holds.values()) if (hold.block === block) return true;
    return false;
  }

  use(key: number): Block | undefined {
    const hold = this.#holds.get(key);
    if (hold === undefined) return undefined;
    hold.uses -= 1;
    if (hold.uses <= 0) hold.end();
    return hold.block;
  }

  clear(): void {
    for (const { end } of this.#holds.values()) end();
  }
}
