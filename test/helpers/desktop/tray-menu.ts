import { execFileSync } from 'node:child_process';
import type { Desktop } from './desktop.ts';

/** The address of a program's menu, as registered with the panel. */
interface Place {
  readonly bus: string;
  readonly menu: string;
}

const PRESSES = 20;

/** The menu of the only icon in a desktop's tray, read and operated as by a panel (com.canonical.dbusmenu). */
export class TrayMenu {
  readonly #desktop: Desktop;

  constructor(desktop: Desktop) {
    this.#desktop = desktop;
  }

  /** Returns its labels in order, including those of submenus. */
  labels(): readonly string[] {
    return this.#items().map(({ label }) => label);
  }

  /**
   * Presses the item with this label. Each change of the menu renumbers its items, and a press by an old number is
   * refused. The item is then looked up again, as for a person's second press.
   */
  press(label: string): void {
    for (let attempt = 1; ; attempt += 1) {
      try {
        this.#pressOnce(label);
        return;
      } catch (error) {
        const isStale = error instanceof Error && error.message.includes('error occurred in Event');
        if (!isStale || attempt === PRESSES) throw error;
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
    // Each item is its number followed by its label, before the next number.
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
