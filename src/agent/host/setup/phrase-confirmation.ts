import { HoldfastError } from '../../../base/errors/errors.ts';
import { requireSettings, updateSettings } from '../../home/settings.ts';
import type { HandlerContext } from '../handler-context.ts';
import { askedPositions } from './asked-positions.ts';

/** Shows the recovery phrase of a new home until two of its words are entered: then it counts as written down. */
export class PhraseConfirmation {
  readonly #parts: Pick<HandlerContext, 'agent' | 'home' | 'changed'>;
  /** The positions to enter: the same as long as the program runs. */
  #positions: readonly [number, number] | undefined;

  constructor(parts: Pick<HandlerContext, 'agent' | 'home' | 'changed'>) {
    this.#parts = parts;
  }

  /** @throws HoldfastError `refused` once the phrase is confirmed; `not_set_up`, `home_damaged` */
  async show(): Promise<{ words: string[]; ask: number[] }> {
    const words = await this.#words();
    this.#positions ??= askedPositions(words.length);
    return { words: [...words], ask: [...this.#positions] };
  }

  /** Returns whether the words are those at the positions. @throws as `show` */
  async confirm(given: readonly string[]): Promise<boolean> {
    const words = await this.#words();
    const positions = this.#positions;
    const isRight = positions?.every((position, index) => plain(given[index] ?? '') === words[position]) === true;
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
    this.#positions = undefined;
    changed();
  }
}

function plain(word: string): string {
  return word.trim().normalize('NFKD').toLowerCase();
}
