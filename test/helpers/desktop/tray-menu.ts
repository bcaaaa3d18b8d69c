import { execFileSync } from 'node:child_process';
import type { Desktop } from './desktop.ts';

/** Where a program's menu is, as the panel knows it. */
interface Place {
  readonly bus: string;
  readonly menu: string;
}

const PRESSES = 20;

/** The menu of the one icon in a desktop's tray, as a panel reads it and presses in it (com.canonical.dbusmenu). */
export class TrayMenu {
  readonly #desktop: Desktop;

  constructor(desktop: Desktop) {
    this.#desktop = desktop;
  }

  /** What can be read in it, in order, with what is in menus inside of it. */
  labels(): readonly string[] {
    return this.#items().map(({ label }) => label);
  }

  /**
   * Presses what is called so. Each change of the menu gives its items other numbers, and what is pressed by an old one is
   * refused: then it is looked for again, as a person's second press would do.
   */
  press(label: string): void {
    for (let attempt = 1; ; attempt += 1) {
      try {
        this.#pressOnce(label);
        return;
      } catch (error) {
        const isGone = error instanceof Error && error.message.includes('error occurred in Event');
        if (!isGone || attempt === PRESSES) throw error;
      }
    }
  }

  #pressOnce(label: string): void {
    const item = this.#items().find((one) => one.label === label);
    if (!item) throw new Error(`no ${label} among ${this.labels().join(' | ')}`);
    const { bus, menu } = this.#place();
    this.#send(
      bus,
      menu,
      'com.canonical.dbusmenu.Event',
      `int32:${item.id}`,
      'string:clicked',
      'variant:string:',
      'uint32:0',
    );
  }

  #items(): readonly { readonly id: number; readonly label: string }[] {
    const { bus, menu } = this.#place();
    const answer = this.#send(
      bus,
      menu,
      'com.canonical.dbusmenu.GetLayout',
      'int32:0',
      'int32:-1',
      'array:string:label',
    );
    // Each item is its number, and after it what it is called, before the next number.
    return [
      ...answer.matchAll(/^ +int32 (\d+)\n(?:(?!^ +int32 )[^\n]*\n)*?[^\n]*"label"[^\n]*\n[^\n]*string "([^\n]*)"/gm),
    ].map(([, id, label]) => ({ id: Number(id), label: label!.replace(/_(?=.)/g, '') }));
  }

  #place(): Place {
    const watcher = ['org.kde.StatusNotifierWatcher', '/StatusNotifierWatcher'] as const;
    const registered = this.#property(...watcher, 'org.kde.StatusNotifierWatcher', 'RegisteredStatusNotifierItems');
    const [, bus, path] = /"([^"/]+)(\/[^"]*)"/.exec(registered) ?? [];
    if (!bus || !path) throw new Error(`no icon is in the tray: ${registered}`);
    const [, menu] =
      /object path "([^"]+)"/.exec(this.#property(bus, path, 'org.kde.StatusNotifierItem', 'Menu')) ?? [];
    if (!menu) throw new Error(`the icon of ${bus} has no menu`);
    return { bus, menu };
  }

  #property(bus: string, path: string, owner: string, name: string): string {
    return this.#send(bus, path, 'org.freedesktop.DBus.Properties.Get', `string:${owner}`, `string:${name}`);
  }

  #send(bus: string, path: string, method: string, ...words: readonly string[]): string {
    return execFileSync('dbus-send', ['--session', '--print-reply', `--dest=${bus}`, path, method, ...words], {
      env: this.#desktop.environment,
      encoding: 'utf8',
    });
  }
}
