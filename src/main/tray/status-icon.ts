import { Menu, nativeImage, nativeTheme, Tray } from 'electron';
import type { MenuItemConstructorOptions, NativeImage } from 'electron';
import { join } from 'node:path';
import type { agentMethods } from '../../ipc/contract/contract.ts';
import { type Failure, failureOf } from '../../base/errors/failure.ts';
import type { Call } from '../../base/calls/contract.ts';
import { pauseEnd } from '../../ipc/pause-end.ts';
import type { AppState, LockState } from '../../ipc/state.ts';
import type { Language } from '../../strings/strings.ts';
import { trayModel } from './tray-model.ts';
import type { TrayAction, TrayIcon, TrayItem, TrayModel } from './tray-model.ts';
import { MINUTE } from '../../model/units.ts';

/** Replacing an open menu closes it on some desktops, so its counters may be this much behind. */
const MENU_EVERY_MS = 3_000;
/** Redraws for relative times such as “12 minutes ago”. */
const REFRESH_MS = MINUTE;

export interface StatusIconParts {
  readonly callAgent: Call<typeof agentMethods>;
  readonly show: () => void;
  readonly lock: () => void;
  readonly quit: () => void;
  readonly fail: (failure: Failure) => void;
  readonly language: () => Language;
}

/** The tray icon: shows the state, and offers the most frequent actions in its menu. */
export class StatusIcon {
  readonly #assets: string;
  readonly #parts: StatusIconParts;
  readonly #tray: Tray;
  #state: AppState | undefined;
  #lock: LockState | undefined;
  #icon: string | undefined;
  #tooltip: string | undefined;
  #menu: string | undefined;
  #menuAt = 0;
  #redraw: NodeJS.Timeout | undefined;

  constructor(assets: string, parts: StatusIconParts) {
    this.#assets = assets;
    this.#parts = parts;
    const model = trayModel(undefined, undefined, parts.language(), Date.now());
    this.#tray = new Tray(this.#image(model.icon));
    this.#tray.on('click', () => parts.show());
    nativeTheme.on('updated', () => this.#draw());
    setInterval(() => this.#draw(), REFRESH_MS);
    this.#draw();
  }

  show(state: AppState, lock: LockState): void {
    this.#state = state;
    this.#lock = lock;
    this.#draw();
  }

  #draw(): void {
    const model = trayModel(this.#state, this.#lock, this.#parts.language(), Date.now());
    const file = this.#fileOf(model.icon);
    if (file !== this.#icon) this.#tray.setImage(this.#image(model.icon));
    if (model.tooltip !== this.#tooltip) this.#tray.setToolTip(model.tooltip);
    this.#icon = file;
    this.#tooltip = model.tooltip;
    this.#drawMenu(model);
  }

  #drawMenu({ items }: TrayModel): void {
    const menu = JSON.stringify(items);
    if (menu === this.#menu) return;
    const wait = this.#menuAt + MENU_EVERY_MS - Date.now();
    clearTimeout(this.#redraw);
    if (wait > 0) {
      this.#redraw = setTimeout(() => this.#draw(), wait);
      return;
    }
    this.#menu = menu;
    this.#menuAt = Date.now();
    this.#tray.setContextMenu(Menu.buildFromTemplate(items.map((item) => this.#menuItem(item))));
  }

  #menuItem(item: TrayItem): MenuItemConstructorOptions {
    switch (item.kind) {
      case 'text':
        return { label: item.label, enabled: false };
      case 'separator':
        return { type: 'separator' };
      case 'submenu':
        return { label: item.label, submenu: item.items.map((inner) => this.#menuItem(inner)) };
      case 'action':
        return { label: item.label, enabled: item.isEnabled, click: () => void this.#act(item.action) };
    }
  }

  /** Backs up the only set; returns false when there are several and the person has to choose. */
  backUpOnly(): boolean {
    const [only, ...others] = this.#state?.sets ?? [];
    if (!only || others.length > 0) return false;
    this.backUp(only.name);
    return true;
  }

  /** Backs up a set, and reports a failure to begin. */
  backUp(set: string): void {
    void this.#act({ kind: 'back-up', set });
  }

  async #act(action: TrayAction): Promise<void> {
    try {
      await this.#do(action);
    } catch (error) {
      const failure = failureOf(error);
      if (!failure) throw error;
      this.#parts.fail(failure);
    }
  }

  async #do(action: TrayAction): Promise<unknown> {
    const { callAgent, show, lock, quit } = this.#parts;
    switch (action.kind) {
      case 'back-up':
        return callAgent('runs.backup', { set: action.set });
      case 'back-up-all':
        return callAgent('runs.backup-all', {});
      case 'stop':
        return callAgent('runs.stop', { run: action.run });
      case 'pause': {
        const until = pauseEnd(action.until, Date.now());
        return callAgent('runs.pause', until === undefined ? {} : { until });
      }
      case 'resume':
        return callAgent('runs.resume', {});
      case 'open':
        return show();
      case 'lock':
        return lock();
      case 'quit':
        return quit();
    }
  }

  #image(icon: TrayIcon): NativeImage {
    const image = nativeImage.createFromPath(this.#fileOf(icon));
    // macOS draws template images in the colour of its bar.
    if (process.platform === 'darwin') image.setTemplateImage(true);
    return image;
  }

  /** Electron finds the files of higher density (`@2x`) itself. */
  #fileOf(icon: TrayIcon): string {
    const bar = isBarDark() ? 'dark' : 'light';
    switch (process.platform) {
      case 'darwin':
        return join(this.#assets, 'tray', `${icon}-Template.png`);
      case 'win32':
        return join(this.#assets, 'tray', `${icon}-${bar}.ico`);
      default:
        return join(this.#assets, 'tray', `${icon}-${bar}-24.png`);
    }
  }
}

/** On Linux, the bar of KDE follows the theme of programs; those of other desktops are dark by default. */
function isBarDark(): boolean {
  if (process.platform !== 'linux') return nativeTheme.shouldUseDarkColorsForSystemIntegratedUI;
  const isKde = (process.env['XDG_CURRENT_DESKTOP'] ?? '').split(':').includes('KDE');
  return isKde ? nativeTheme.shouldUseDarkColors : true;
}
