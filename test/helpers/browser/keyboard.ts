import type { Page } from 'playwright';
import { expect } from 'vitest';

/** More stops than any view has. */
const MOST_STOPS = 60;

interface Stop {
  readonly name: string;
  readonly role: string;
  /** False for a page or a dialog, whose text may be that of the only control in it while it loads. */
  readonly isControl: boolean;
  /** Returns whether the focused element, or what is drawn for it, has an outline or a shadow. */
  readonly isSeen: boolean;
  /** Returns whether the previous stop looks as it did with the focus. */
  readonly isLeftBehind: boolean;
}

/** Operates the page by keyboard only. Checks at each stop that the focus is visible, and after each action that there is one. */
export class Keyboard {
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
  }

  /** Presses the key until a control with this name has the focus. */
  async to(name: RegExp, key = 'Tab'): Promise<void> {
    const passed: string[] = [];
    for (let stop = 0; stop < MOST_STOPS; stop += 1) {
      const here = await this.#look();
      if (here.isControl && name.test(here.name)) return;
      await this.#page.keyboard.press(key);
      const { name: at, role, isSeen, isLeftBehind } = await this.#look();
      passed.push(at);
      // The page, a view, a page in it and a step take the focus without being interactive.
      if (['body', 'main', 'region', 'form'].includes(role)) continue;
      expect([at, role, isSeen ? 'is seen' : 'is not seen']).toEqual([at, role, 'is seen']);
      expect([at, isLeftBehind ? 'the stop before looks focused still' : '']).toEqual([at, '']);
    }
    throw new Error(`no ${String(name)} among ${passed.join(' | ')}`);
  }

  /** Moves to an element with this name and presses it. */
  async press(name: RegExp, key: 'Enter' | 'Space' = 'Enter'): Promise<void> {
    await this.to(name);
    await this.key(key);
  }

  async type(text: string): Promise<void> {
    await this.#page.keyboard.type(text);
  }

  /** Presses a key. The element with the focus may vanish by it; another one gets the focus then. */
  async key(key: string): Promise<void> {
    await this.#page.keyboard.press(key);
    await expect.poll(async () => (await this.#look()).role, { timeout: 90_000 }).not.toBe('body');
  }

  /** Returns all stops from the first element to the end of the page by Tab, and back by Shift+Tab. */
  async round(first: string): Promise<{ readonly forth: readonly string[]; readonly back: readonly string[] }> {
    await this.#page.locator(first).focus();
    const forth = [await this.name(), ...(await this.#allStops('Tab'))];
    return { forth, back: await this.#allStops('Shift+Tab') };
  }

  async #allStops(key: string): Promise<readonly string[]> {
    const names: string[] = [];
    for (let stop = 0; stop < 2 * MOST_STOPS; stop += 1) {
      await this.#page.keyboard.press(key);
      const { name, role, isSeen } = await this.#look();
      if (role === 'body') return names;
      expect([name, role, isSeen ? 'is seen' : 'is not seen']).toEqual([name, role, 'is seen']);
      names.push(name);
    }
    throw new Error(`${key} leads nowhere out of ${names.slice(-5).join(' | ')}`);
  }

  /** Returns the name of the focused element. */
  async name(): Promise<string> {
    return (await this.#look()).name;
  }

  #look(): Promise<Stop> {
    return this.#page.evaluate<Stop>(LOOK);
  }
}

/** Runs in the page. */
const LOOK = `(() => {
  const at = document.activeElement;
  const texts = (ids) => ids.split(' ').map((id) => document.getElementById(id)?.textContent ?? '').join(' ');
  const labelled = at.getAttribute('aria-labelledby');
  const current = at.getAttribute('aria-activedescendant');
  const name = current ? document.getElementById(current).textContent
    : at.getAttribute('aria-label') || (labelled ? texts(labelled) : '') || at.labels?.[0]?.textContent || at.textContent;
  // A hidden input is drawn as its label, and a list of rows as its current row.
  const drawn = [at, at.parentElement, at.parentElement?.parentElement, ...at.querySelectorAll('[data-current]')];
  const look = (part) => {
    const { outlineStyle, outlineWidth, outlineColor, boxShadow } = getComputedStyle(part);
    const isOutlined = outlineStyle !== 'none' && parseFloat(outlineWidth) >= 1 && !/, 0\\)$/.test(outlineColor);
    return { isOutlined, text: [isOutlined ? outlineStyle + outlineWidth + outlineColor : '', boxShadow].join() };
  };
  const before = window.holdfastTestFocus;
  const isLeftBehind = Boolean(before && before.at !== at && before.at.isConnected && !before.ring.contains(at)
    && look(before.ring).isOutlined && look(before.ring).text === before.text);
  const ring = drawn.find((part) => part && part !== document.body && look(part).isOutlined);
  window.holdfastTestFocus = ring && { at, ring, text: look(ring).text };
  return {
    name: name.trim().replace(/\\s+/g, ' ').slice(0, 80),
    role: at === document.body ? 'body' : at.getAttribute('role') || at.localName,
    isControl: at.tabIndex >= 0,
    isSeen: ring !== undefined,
    isLeftBehind,
  };
})()`;
