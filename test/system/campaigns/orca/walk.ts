import type { OrcaDesktop } from './orca-desktop.ts';
import { englishIn, faultsOf } from './spoken-faults.ts';

/** More stops than any view has. */
const MOST_STOPS = 60;

/** What a person without a screen does: presses keys and listens. */
export class Walk {
  readonly #desktop: OrcaDesktop;
  readonly #onHeard: (line: string) => void;
  readonly #language: 'en' | 'de';
  readonly faults: string[] = [];

  /** @param language in which everything is read */
  constructor(desktop: OrcaDesktop, onHeard: (line: string) => void, language: 'en' | 'de') {
    this.#desktop = desktop;
    this.#onHeard = onHeard;
    this.#language = language;
  }

  /** Begins a part of the report. */
  part(name: string): void {
    this.#onHeard(`\n${name}`);
  }

  async press(...keys: readonly string[]): Promise<string> {
    let heard = '';
    for (const key of keys) heard = this.#note(key, await this.#desktop.press(key));
    return heard;
  }

  /** Moves within a text by a key. Its words, as of the phrase, may be those that Orca has for controls. */
  async read(key: string): Promise<string> {
    return this.#report(key, await this.#desktop.press(key));
  }

  async type(text: string): Promise<string> {
    return this.#note(`“${text}”`, await this.#desktop.type(text));
  }

  /** Listens to what the window says by itself. */
  async wait(work: () => unknown = () => undefined, quietMs = 3_000): Promise<string> {
    return this.#note('…', await this.#desktop.hear(work, { firstMs: quietMs, quietMs, mostMs: 60_000 }));
  }

  /** Presses the key until it hears a control. @throws Error with all that it heard instead */
  async to(wanted: RegExp, key = 'Tab'): Promise<string> {
    const heard: string[] = [];
    for (let stop = 0; stop < MOST_STOPS; stop += 1) {
      heard.push(await this.press(key));
      if (wanted.test(heard.at(-1)!)) return heard.at(-1)!;
    }
    throw new Error(`${key} does not lead to ${String(wanted)}:\n${heard.join('\n')}`);
  }

  /** Moves to a control and presses it. What is said then has to contain the texts, each at most once. */
  async activate(wanted: RegExp, ...expected: readonly RegExp[]): Promise<string> {
    await this.to(wanted);
    let heard = await this.press('Return');
    // A busy machine takes its time.
    if (expected.some((text) => !text.test(heard))) heard += ` | ${await this.wait(undefined, 6_000)}`;
    return this.expect(heard, ...expected);
  }

  expect(heard: string, ...expected: readonly RegExp[]): string {
    for (const text of expected) {
      const count = heard.match(new RegExp(text.source, 'g'))?.length ?? 0;
      if (count !== 1) this.faults.push(`${String(text)} is said ${count} times in: ${heard}`);
    }
    return heard;
  }

  #note(what: string, spoken: readonly string[]): string {
    // Orca joins the texts of a whole dialog itself, without spaces.
    for (const text of spoken.filter(({ length }) => length < 300)) {
      for (const fault of faultsOf(text)) this.faults.push(`${fault}: ${text}`);
    }
    for (const text of this.#language === 'en' ? [] : spoken) {
      const english = englishIn(text);
      if (english !== undefined) this.faults.push(`“${english}” is English: ${text}`);
    }
    return this.#report(what, spoken);
  }

  #report(what: string, spoken: readonly string[]): string {
    const line = spoken.join(' | ');
    this.#onHeard(`${what} → ${line}`);
    return line;
  }
}
