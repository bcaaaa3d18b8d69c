import { app, nativeTheme, powerMonitor, shell } from 'electron';
import { join } from 'node:path';
import { agentMethods } from '../ipc/contract/contract.ts';
import type { View } from '../ipc/contract/contract.ts';
import { caller } from '../base/calls/caller.ts';
import type { AppState } from '../ipc/state.ts';
import { failureWords } from '../strings/failure-sentence.ts';
import { IdleLock } from './lock/idle-lock.ts';
import { lockCalls } from './lock/lock-calls.ts';
import { seenState } from './lock/visible-state.ts';
import { askSystem, canAskSystem } from './lock/system-authentication.ts';
import { WindowLock } from './lock/window-lock.ts';
import { AgentProcess } from './agent/agent-process.ts';
import { forkAgent } from './agent/fork-agent.ts';
import { ShownState } from './agent/displayed-state.ts';
import type { Places } from './app-paths.ts';
import { mayQuit } from './shell/confirm-quit.ts';
import { shellCalls } from './shell/shell-calls.ts';
import { isWebAddress } from './system/allowed-links.ts';
import { startAtLogin } from './system/login-item.ts';
import { watchNetwork } from './system/network-watch.ts';
import { messageOf, notify } from './system/notifications.ts';
import type { Message } from './system/notifications.ts';
import { Wakefulness, watchPower } from './system/power.ts';
import { hasTray } from './tray/tray-support.ts';
import { StatusIcon } from './tray/status-icon.ts';
import { Words } from './current-language.ts';
import { setAppMenu } from './window/app-menu.ts';
import { FarewellNotice } from './window/background-notice.ts';
import { lockDown } from './window/harden-windows.ts';
import { MainWindow } from './window/main-window.ts';
import { answerWindows } from './window/window-calls.ts';

/** The desktop app as a whole: the agent's process, and the window, the tray and the notifications that show what it says. */
export class Program {
  readonly #places: Places;
  readonly #agent: AgentProcess;
  readonly #state: ShownState;
  readonly #window: MainWindow;
  readonly #lock: WindowLock;
  readonly #idle: IdleLock;
  readonly #words = new Words();
  readonly #wakefulness = new Wakefulness();
  readonly #farewell: FarewellNotice;
  #tray: StatusIcon | undefined;
  #isAsking = false;
  #isEnding = false;

  constructor(places: Places) {
    this.#places = places;
    this.#farewell = new FarewellNotice(places);
    this.#state = new ShownState((state) => this.#show(state));
    this.#agent = new AgentProcess(forkAgent(places.agentProgram, places.home), {
      onState: (state) => this.#state.told(state),
      onNotice: (notice) => this.#tell(messageOf(notice, this.#words.language)),
      onBrowse: (url) => void (isWebAddress(url) && shell.openExternal(url)),
      onGone: (restartsAt) => this.#state.gone(restartsAt),
      onTrouble: (trouble) => this.#state.troubled(trouble, { version: app.getVersion(), home: places.home }),
    });
    this.#lock = new WindowLock({
      file: join(places.home, 'lock.json'),
      now: Date.now,
      canAskSystem,
      changed: () => this.#lockChanged(),
    });
    this.#idle = new IdleLock(this.#lock, Date.now);
    this.#window = new MainWindow(places, {
      onClosed: () => this.#windowClosed(),
      onUsed: () => this.#idle.used(),
    });
  }

  /** After Electron is ready. */
  start(isWindowWanted: boolean): void {
    const ask = (name: string, input: unknown): Promise<unknown> => this.#agent.call(name, input);
    const agent = caller(agentMethods, ask);
    lockDown(this.#places.page);
    this.#setMenu();
    answerWindows({
      isOurs: (contents) => this.#window.isOurs(contents),
      askAgent: (name, input) => this.#agent.call(name, input),
      isLocked: () => this.#lock.isLocked,
      main: {
        ...shellCalls({
          agent,
          restartAgent: () => this.#agent.restart(),
          state: () => this.#state.current,
          language: () => this.#words.language,
          window: () => this.#window.current,
          askWhoIsThere: (password) => this.#askWhoIsThere(password),
        }),
        ...lockCalls({
          agent,
          lock: this.#lock,
          canAskSystem,
          askSystem: () => askSystem(this.#words.language.strings.shell.dialogs.unlock),
        }),
      },
    });
    this.#tray = new StatusIcon(this.#places.assets, {
      ask: agent,
      show: () => this.show(),
      lock: () => this.#lock.lock(),
      quit: () => app.quit(),
      fail: (failure) => {
        const { what: title, todo: body } = failureWords(failure, this.#words.language);
        this.#tell({ title, body, view: 'home' });
      },
      language: () => this.#words.language,
    });
    this.#idle.start();
    this.#agent.start();
    if (isWindowWanted) this.show();
    const tell = (what: 'resumed' | 'power' | 'network') => void this.#agent.call('environment.changed', { what });
    watchPower(tell);
    watchNetwork(() => tell('network'));
    powerMonitor.on('shutdown', () => void this.end());
  }

  show(view?: View): void {
    if (app.isReady() && !this.#isEnding) this.#window.show(view);
  }

  /** As a person wants it: asks where something would be cut short. */
  async quit(): Promise<void> {
    if (this.#isAsking || this.#isEnding) return;
    this.#isAsking = true;
    const may = await mayQuit(this.#state.current, this.#words.language, this.#window.current);
    this.#isAsking = false;
    if (may) await this.end();
    else this.#window.close();
  }

  /** Lets the agent end what goes on, and ends. */
  async end(): Promise<void> {
    if (this.#isEnding) return;
    this.#isEnding = true;
    this.#window.close();
    await this.#agent.stop();
    app.exit(0);
  }

  #show(state: AppState): void {
    if (this.#words.follow(state)) this.#setMenu();
    nativeTheme.themeSource = state.preferences.appearance;
    this.#wakefulness.follow(state);
    this.#showSeen(state);
    // Nobody knows what they are while there is no agent.
    if (!state.trouble) startAtLogin(state.preferences.startAtLogin, process.env);
  }

  /** In the window and the tray, as far as the lock lets it be seen. */
  #showSeen(state: AppState): void {
    const lock = this.#lock.state;
    this.#window.tell(seenState(state, lock));
    this.#tray?.show(state, lock);
  }

  #lockChanged(): void {
    this.#setMenu();
    if (this.#state.current) this.#showSeen(this.#state.current);
  }

  #setMenu(): void {
    setAppMenu(this.#words.language, {
      canLock: this.#lock.isOn && !this.#lock.isLocked,
      lock: () => this.#lock.lock(),
      backUp: () => this.#backUp(),
      show: (view) => this.show(view),
    });
  }

  #backUp(): void {
    if (!this.#tray?.backUpOnly()) this.show('sets');
  }

  /** By the system, where it can; else by the lock's password, where one is set. Answers whether anybody was asked. */
  async #askWhoIsThere(password: string | undefined): Promise<boolean> {
    if (canAskSystem()) await askSystem(this.#words.language.strings.shell.dialogs.revealPhrase);
    else if (this.#lock.isOn) await this.#lock.prove(password);
    else return false;
    return true;
  }

  #tell(message: Message): void {
    notify(message, this.#icon, () => this.show(message.view));
  }

  #windowClosed(): void {
    if (this.#lock.locksOnClose) this.#lock.lock();
    if (this.#isEnding) return;
    if (this.#state.current?.health === 'not-set-up') return void this.#endUnseen();
    void this.#farewell.say(this.#words.language, (message) => this.#tell({ ...message, view: 'home' }));
  }

  /** Where nothing is set up there is nothing to do without a window, and without a tray nobody could open it again. */
  async #endUnseen(): Promise<void> {
    if (!(await hasTray()) && !this.#window.current) await this.end();
  }

  get #icon(): string {
    return join(this.#places.assets, 'icons/128x128.png');
  }
}
