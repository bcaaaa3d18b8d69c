import { app, nativeTheme, powerMonitor, shell } from 'electron';
import { join } from 'node:path';
import { agentMethods } from '../ipc/contract.ts';
import type { View } from '../ipc/contract.ts';
import { caller } from '../ipc/caller.ts';
import type { AppState } from '../ipc/state.ts';
import { failureWords } from '../strings/failure-sentence.ts';
import { AgentProcess } from './agent/agent-process.ts';
import { forkAgent } from './agent/fork.ts';
import { ShownState } from './agent/shown-state.ts';
import type { Places } from './places.ts';
import { mayQuit } from './shell/quit.ts';
import { shellCalls } from './shell/shell-calls.ts';
import { isWebAddress } from './system/links.ts';
import { startAtLogin } from './system/login-start.ts';
import { watchNetwork } from './system/network-watch.ts';
import { messageOf, notify } from './system/notices.ts';
import type { Message } from './system/notices.ts';
import { Wakefulness, watchPower } from './system/power.ts';
import { StatusIcon } from './tray/status-icon.ts';
import { Words } from './words.ts';
import { setAppMenu } from './window/app-menu.ts';
import { FarewellNotice } from './window/farewell-notice.ts';
import { lockDown } from './window/lockdown.ts';
import { MainWindow } from './window/main-window.ts';
import { answerWindows } from './window/window-calls.ts';

/** The desktop app as a whole: the agent's process, and the window, the tray and the notifications that show what it says. */
export class Program {
  readonly #places: Places;
  readonly #agent: AgentProcess;
  readonly #state: ShownState;
  readonly #window: MainWindow;
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
    });
    this.#window = new MainWindow(places, () => this.#windowClosed());
  }

  /** After Electron is ready. */
  start(isWindowWanted: boolean): void {
    const ask = (name: string, input: unknown): Promise<unknown> => this.#agent.call(name, input);
    const agent = caller(agentMethods, ask);
    lockDown(this.#places.page);
    setAppMenu(this.#words.language);
    answerWindows({
      isOurs: (contents) => this.#window.isOurs(contents),
      askAgent: (name, input) => this.#agent.call(name, input),
      shell: shellCalls({
        agent,
        state: () => this.#state.current,
        language: () => this.#words.language,
        window: () => this.#window.current,
      }),
    });
    this.#tray = new StatusIcon(this.#places.assets, {
      ask: agent,
      show: () => this.show(),
      quit: () => app.quit(),
      fail: (failure) => {
        const { what: title, todo: body } = failureWords(failure, this.#words.language);
        this.#tell({ title, body, view: 'home' });
      },
      language: () => this.#words.language,
    });
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
    if (this.#words.follow(state)) setAppMenu(this.#words.language);
    nativeTheme.themeSource = state.preferences.appearance;
    this.#wakefulness.follow(state);
    this.#window.tell(state);
    this.#tray?.show(state);
    startAtLogin(state.preferences.startAtLogin, process.env);
  }

  #tell(message: Message): void {
    notify(message, this.#icon, () => this.show(message.view));
  }

  #windowClosed(): void {
    if (this.#isEnding || this.#state.current?.health === 'not-set-up') return;
    void this.#farewell.say(this.#words.language, (message) => this.#tell({ ...message, view: 'home' }));
  }

  get #icon(): string {
    return join(this.#places.assets, 'icons/128x128.png');
  }
}
