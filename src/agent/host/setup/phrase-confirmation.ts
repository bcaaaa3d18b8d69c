import { randomInt } from 'node:crypto';
import { HoldfastError } from '../../../base/errors.ts';
import { requireSettings, updateSettings } from '../../home/settings.ts';
import type { HandlerContext } from '../handler-context.ts';

/** Shows the phrase of a new home once, and asks two of its words back: only then does it count as written down. */
export class SetupPhrase {
  readonly #parts: Pick<HandlerContext, 'agent' | 'home' | 'changed'>;
  /** The same two as long as the program runs, so that whoever asks again is not asked for others. */
  #ask: readonly [number, number] | undefined;

  constructor(parts: Pick<HandlerContext, 'agent' | 'home' | 'changed'>) {
    this.#parts = parts;
  }

  /** @throws HoldfastError `refused` once the words were given; HoldfastError `not_set_up`, `home_damaged` */
  async show(): Promise<{ words: string[]; ask: number[] }> {
    const words = await this.#words();
    this.#ask ??= twoOf(words.length);
    return { words: [...words], ask: [...this.#ask] };
  }

  /** Whether the words are the ones that were asked for. @throws as `show` */
  async confirm(given: readonly string[]): Promise<boolean> {
    const words = await this.#words();
    const ask = this.#ask;
    const isRight = ask?.every((position, index) => plain(given[index] ?? '') === words[position]) === true;
    if (isRight) this.#confirmed();
    return isRight;
  }

  async #words(): Promise<readonly string[]> {
    const { home, agent } = this.#parts;
    if (requireSettings(home).phraseConfirmed !== false) {
      throw new HoldfastError('refused', { problem: 'phrase-confirmed' });
    }
    return (await agent.recoveryPhrase()).split(' ');
  }

  #confirmed(): void {
    const { home, changed } = this.#parts;
    updateSettings(home, (settings) => ({ ...settings, phraseConfirmed: true }));
    this.#ask = undefined;
    changed();
  }
}

/** Two different positions, in order. */
function twoOf(count: number): readonly [number, number] {
  const first = randomInt(count);
  const other = (first + 1 + randomInt(count - 1)) % count;
  return first < other ? [first, other] : [other, first];
}

function plain(word: string): string {
  return word.trim().normalize('NFKD').toLowerCase();
}
