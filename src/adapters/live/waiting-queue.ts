/** A queue, first in, first out, that uses its memory again: thousands of streams wait after each change. */
export class WaitingQueue<Member> {
  readonly #members: (Member | undefined)[] = [];
  #first = 0;
  #end = 0;

  get isEmpty(): boolean {
    return this.#first === this.#end;
  }

  add(member: Member): void {
    this.#members[this.#end] = member;
    this.#end += 1;
  }

  /** Removes the first one. Undefined if nobody waits. */
  next(): Member | undefined {
    const member = this.#members[this.#first];
    if (this.isEmpty) return undefined;
    this.#members[this.#first] = undefined;
    this.#first += 1;
    if (this.isEmpty) this.#first = this.#end = 0;
    else if (this.#first >= COMPACTED_FROM && this.#first * 2 >= this.#end) this.#compact();
    return member;
  }

  /** So that a queue that is never empty does not grow without end. */
  #compact(): void {
    this.#members.copyWithin(0, this.#first, this.#end);
    this.#members.fill(undefined, this.#end - this.#first, this.#end);
    this.#end -= this.#first;
    this.#first = 0;
  }
}

const COMPACTED_FROM = 1_024;
