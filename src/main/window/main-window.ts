import { app, BrowserWindow, nativeTheme, screen } from 'electron';
import type { WebContents } from 'electron';
import { join } from 'node:path';
import type { View } from '../../ipc/contract/contract.ts';
import { CHANNELS } from '../../ipc/window-port.ts';
import type { AppState } from '../../ipc/state.ts';
import type { Places } from '../app-paths.ts';
import { readJsonFile, writeJsonFile } from '../system/json-file.ts';
import { PAGE_ADDRESS } from './page-files.ts';
import { MINIMUM_SIZE, openingPlace, windowPlace } from './window-bounds.ts';
import type { WindowPlace } from './window-bounds.ts';

/** The page's own background (ui/tokens.css), for the moment before it is there. */
const BACKGROUND = { light: '#f5f6f3', dark: '#111513' } as const;
const SAVE_DELAY_MS = 500;

export interface WindowEvents {
  readonly onClosed: () => void;
  /** Somebody types, or moves the pointer over it; often. */
  readonly onUsed: () => void;
}

/** The one window that people see. It can be closed and opened again while the program goes on. */
export class MainWindow {
  readonly #places: Places;
  readonly #placeFile: string;
  readonly #events: WindowEvents;
  #window: BrowserWindow | undefined;
  #state: AppState | undefined;
  #wanted: View | undefined;
  #saving: NodeJS.Timeout | undefined;

  constructor(places: Places, events: WindowEvents) {
    this.#places = places;
    this.#placeFile = join(places.windowFolder, 'window.json');
    this.#events = events;
  }

  /** Nothing while it is closed: dialogs then stand by themselves. */
  get current(): BrowserWindow | undefined {
    return this.#window;
  }

  isOurs(contents: WebContents): boolean {
    return this.#window?.webContents === contents;
  }

  /** Shows the window, in front of all others, at a view where one is said. */
  show(view?: View): void {
    const window = this.#window ?? this.#open();
    if (window.isMinimized()) window.restore();
    // A page that is still to come shows the window by itself, and then goes where it is wanted.
    if (window.webContents.isLoadingMainFrame()) {
      this.#wanted = view ?? this.#wanted;
      return;
    }
    if (view) window.webContents.send(CHANNELS.show, view);
    window.show();
    window.focus();
  }

  close(): void {
    this.#window?.close();
  }

  tell(state: AppState): void {
    this.#state = state;
    this.#window?.webContents.send(CHANNELS.state, state);
  }

  #open(): BrowserWindow {
    const left = readJsonFile(this.#placeFile, windowPlace);
    const { isMaximized, ...bounds } = openingPlace(left, screensMainFirst());
    const window = new BrowserWindow({
      ...bounds,
      minWidth: MINIMUM_SIZE.width,
      minHeight: MINIMUM_SIZE.height,
      show: false,
      title: app.getName(),
      icon: join(this.#places.assets, 'icons/256x256.png'),
      backgroundColor: nativeTheme.shouldUseDarkColors ? BACKGROUND.dark : BACKGROUND.light,
      autoHideMenuBar: true,
      webPreferences: {
        preload: this.#places.preload,
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
    if (isMaximized) window.maximize();
    window.once('ready-to-show', () => window.show());
    window.webContents.on('did-finish-load', () => {
      if (this.#state) window.webContents.send(CHANNELS.state, this.#state);
      if (this.#wanted) window.webContents.send(CHANNELS.show, this.#wanted);
      this.#wanted = undefined;
    });
    // What was shown is in the agent's state, and comes back as it was.
    window.webContents.on('render-process-gone', (_event, { reason }) => {
      if (reason !== 'clean-exit') setTimeout(() => this.#window === window && window.webContents.reload(), 1_000);
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

  #saveSoon(window: BrowserWindow): void {
    clearTimeout(this.#saving);
    this.#saving = setTimeout(() => this.#save(window), SAVE_DELAY_MS);
  }

  #save(window: BrowserWindow): void {
    clearTimeout(this.#saving);
    if (window.isDestroyed() || window.isMinimized()) return;
    const place: WindowPlace = { version: 1, bounds: window.getNormalBounds(), isMaximized: window.isMaximized() };
    try {
      writeJsonFile(this.#placeFile, place);
    } catch {
      // A disk that is full costs the person the window's place, and must not cost more.
    }
  }
}

function screensMainFirst(): readonly Electron.Rectangle[] {
  const main = screen.getPrimaryDisplay();
  const others = screen.getAllDisplays().filter(({ id }) => id !== main.id);
  return [main, ...others].map(({ workArea }) => workArea);
}
