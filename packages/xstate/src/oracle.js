// Choices that are made in every way: what a machine does is run again for each way.

/** The reason why the behaviour of a machine is not known. */
export class Unseen extends Error {}

const MOST_WAYS = 5_000;
const MOST_CHOICES = 2_000;

/** One way through all choices, and how to come to the next one. */
export class Oracle {
  #choices = [];
  #next = 0;
  #made = 0;
  /** What was thrown by a choice: XState wraps it into errors of its own. */
  #stuck = undefined;

  /** One of `count` numbers from 0. */
  pick(count) {
    this.#made += 1;
    if (this.#made > MOST_CHOICES) {
      this.#stuck = new Unseen('an event can lead to transitions without end (always, or raise)');
      throw this.#stuck;
    }
    if (count === 1) return 0;
    if (this.#next === this.#choices.length) this.#choices.push({ chosen: 0, count });
    return this.#choices[this.#next++].chosen;
  }

  /** Goes on to the next way; false if there is none. */
  #advance() {
    while (this.#choices.length > 0) {
      const last = this.#choices.at(-1);
      if (++last.chosen < last.count) break;
      this.#choices.pop();
    }
    this.#next = 0;
    this.#made = 0;
    return this.#choices.length > 0;
  }

  /** All results of a function that asks this oracle. */
  ways(run) {
    const results = [];
    this.#choices = [];
    this.#next = 0;
    this.#made = 0;
    do {
      try {
        results.push(run());
      } catch (error) {
        throw this.#stuck ?? error;
      }
      if (results.length > MOST_WAYS) throw new Unseen('one event has too many guards to be taken both ways');
    } while (this.#advance());
    return results;
  }
}
