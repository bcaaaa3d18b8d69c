import { app, BrowserWindow, nativeTheme, screen } from 'electron';
import type { WebContents } from 'electron';
import { join } from 'node:path';
import type { Wanted } from '../../ipc/contract/contract.ts';
import { JsonFile } from '../../base/files/json-file.ts';
import { CHANNELS, LANGUAGES_ARGUMENT } from '../../ipc/window-port.ts';
import type { AppState } from '../../ipc/state.ts';
import type { AppPaths } from '../app-paths.ts';
import { PAGE_ADDRESS } from '../page-address.ts';
import { taskbarState } from './taskbar.ts';
import { MINIMUM_SIZE, openingBounds, windowBounds } from './window-bounds.ts';
import type { WindowBounds } from './window-bounds.ts';
import { systemLanguages } from '../system/system-languages.ts';

/** The page's own background (ui/tokens.css), shown until the page has loaded. */
const BACKGROUND = { light: '#f5f6f3', dark: '#111513' } as const;
const SAVE_DELAY_MS = 500;

export interface WindowEvents {
  readonly onClosed: () => void;
  /** Called often, whenever a person types or moves the pointer over the window. */
  readonly onUsed: () => void;
  /** The page's process ended without being asked to. */
  readonly onGone: (reason: string, exitCode: number) => void;
}

/** The only visible window. It can be closed and opened again while the program keeps running. */
export class MainWindow {
  readonly #paths: AppPaths;
  readonly #boundsFile: JsonFile<typeof windowBounds>;
  readonly #events: WindowEvents;
  #window: BrowserWindow | undefined;
  #state: AppState | undefined;
  #pending: Wanted | undefined;
  #saving: NodeJS.Timeout | undefined;
  /** The number at the launcher. */
  #count = 0;

  constructor(paths: AppPaths, events: WindowEvents) {
    this.#paths = paths;
    this.#boundsFile = new JsonFile(join(paths.windowFolder, 'window.json'), windowBounds);
    this.#events = events;
  }

  /** Is `undefined` while the window is closed; dialogs then have no parent. */
  get current(): BrowserWindow | undefined {
    return this.#window;
  }

  isOurs(contents: WebContents): boolean {
    return this.#window?.webContents === contents;
  }

  /** Opens the window or brings it to the front, and shows what is wanted, if anything. */
  show(wanted?: Wanted): void {
    const window = this.#window ?? this.#open();
    if (window.isMinimized()) window.restore();
    // A page that is still loading shows the window itself when it is ready, and then switches to the view.
    if (window.webContents.isLoadingMainFrame()) {
      this.#pending = wanted ?? this.#pending;
      return;
    }
    if (wanted) window.webContents.send(CHANNELS.show, wanted);
    window.show();
    window.focus();
  }

  close(): void {
    this.#window?.close();
  }

  update(state: AppState): void {
    this.#state = state;
    this.#showProgress();
    this.#window?.webContents.send(CHANNELS.state, state);
  }

  #open(): BrowserWindow {
    const last = this.#boundsFile.readSync(() => this.#boundsFile.setAsideSync());
    const { isMaximized, ...bounds } = openingBounds(last, screensMainFirst());
    const window = new BrowserWindow({
      ...bounds,
      minWidth: MINIMUM_SIZE.width,
      minHeight: MINIMUM_SIZE.height,
      show: false,
      title: app.getName(),
      icon: join(this.#paths.assets, 'icons/256x256.png'),
      backgroundColor: nativeTheme.shouldUseDarkColors ? BACKGROUND.dark : BACKGROUND.light,
      autoHideMenuBar: true,
      webPreferences: {
        preload: this.#paths.preload,
        additionalArguments: [`${LANGUAGES_ARGUMENT}${systemLanguages(app).join(',')}`],
        sandbox: true,
        contextIsolation: true,
        nodeIntegration: false,
        webviewTag: false,
        webSecurity: true,
        navigateOnDragDrop: false,
        spellcheck: false,
        devTools: !app.isPackaged,
      },
    });
    this.#window = window;
    this.#showProgress();
    if (isMaximized) window.maximize();
    window.once('ready-to-show', () => window.show());
    window.webContents.on('did-finish-load', () => {
      if (this.#state) window.webContents.send(CHANNELS.state, this.#state);
      if (this.#pending) window.webContents.send(CHANNELS.show, this.#pending);
      this.#pending = undefined;
    });
    // Everything shown comes from the agent's state, so a reload restores it.
    window.webContents.on('render-process-gone', (_event, { reason, exitCode }) => {
      if (reason === 'clean-exit') return;
      this.#events.onGone(reason, exitCode);
      setTimeout(() => this.#window === window && window.webContents.reload(), 1_000);
    });
    window.webContents.on('input-event', () => this.#events.onUsed());
    for (const moved of ['resize', 'move', 'maximize', 'unmaximize'] as const) {
      window.on(moved as 'resize', () => this.#saveSoon(window));
    }
    window.on('close', () => this.#save(window));
    window.on('closed', () => {
      this.#window = undefined;
      this.#events.onClosed();
    });
    void window.loadURL(PAGE_ADDRESS);
    return window;
  }

  #showProgress(): void {
    if (!this.#state) return;
    const { progress, mode, count } = taskbarState(this.#state);
    this.#window?.setProgressBar(progress, { mode });
    if (count !== this.#count) app.setBadgeCount(count);
    this.#count = count;
  }

  #saveSoon(window: BrowserWindow): void {
    clearTimeout(this.#saving);
    this.#saving = setTimeout(() => this.#save(window), SAVE_DELAY_MS);
  }

  #save(window: BrowserWindow): void {
    clearTimeout(this.#saving);
    if (window.isDestroyed() || window.isMinimized()) return;
    const bounds: WindowBounds = { version: 1, bounds: window.getNormalBounds(), isMaximized: window.isMaximized() };
    try {
      this.#boundsFile.writeSync(bounds);
    } catch {
      // A full disk must not cost more than the window's position.
    }
  }
}

function screensMainFirst(): readonly Electron.Rectangle[] {
  const main = screen.getPrimaryDisplay();
  const others = screen.getAllDisplays().filter(({ id }) => id !== main.id);
  return [main, ...others].map(({ workArea }) => workArea);
}
