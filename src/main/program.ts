import { app, nativeTheme, powerMonitor, shell } from 'electron';
import { join } from 'node:path';
import { agentMethods } from '../ipc/contract/contract.ts';
import type { Wanted } from '../ipc/contract/contract.ts';
import { caller } from '../base/calls/contract-caller.ts';
import { withInheritedUmask } from '../base/files/owner-only.ts';
import type { AppState } from '../ipc/state.ts';
import { failureWords } from '../strings/failure-sentence.ts';
import { IdleLock } from './lock/idle-lock.ts';
import { lockCalls } from './lock/lock-calls.ts';
import { composeUpdates, updateCalls } from './updates/compose-updates.ts';
import { takeStartHidden } from './updates/start-hidden.ts';
import type { Updates } from './updates/updates.ts';
import { visibleState } from './lock/visible-state.ts';
import { authenticate, canAuthenticate } from './lock/system-authentication.ts';
import { WindowLock } from './lock/window-lock.ts';
import { AgentProcess } from './agent/agent-process.ts';
import { forkAgent } from './agent/fork-agent.ts';
import { DisplayedState } from './agent/displayed-state.ts';
import type { AppPaths } from './app-paths.ts';
import { AgentErrors } from './crashes/agent-errors.ts';
import { crashCalls } from './crashes/crash-calls.ts';
import { CrashReports } from './crashes/crash-reports.ts';
import { confirmQuit } from './shell/confirm-quit.ts';
import { exportCalls } from './shell/export-calls.ts';
import { keyCalls } from './shell/key-calls.ts';
import { previewCalls } from './preview/preview-calls.ts';
import { Previews } from './preview/previews.ts';
import { TemporaryCopies } from './preview/temporary-copies.ts';
import { reportCalls, sendReport } from './report/report-calls.ts';
import { shellCalls } from './shell/shell-calls.ts';
import { FileManagerMenus } from './file-managers/set-file-managers.ts';
import { requestedPath } from './file-managers/requested-path.ts';
import { isWebAddress } from './system/allowed-links.ts';
import { isImageWithoutSandbox } from './system/image-sandbox.ts';
import { isStartedAtLogin, setLoginItem } from './system/login-item.ts';
import { watchNetwork } from './system/network-watch.ts';
import { messageOf } from './system/notification-message.ts';
import type { Message } from './system/notification-message.ts';
import { notify } from './system/notifications.ts';
import { ownCommand } from './system/own-command.ts';
import { SleepBlocker, watchPower } from './system/power.ts';
import { isTrayAvailable } from './tray/tray-support.ts';
import { StatusIcon } from './tray/status-icon.ts';
import { CurrentLanguage } from './current-language.ts';
import { setAppMenu } from './window/app-menu.ts';
import { BackgroundNotice } from './window/background-notice.ts';
import { hardenWindows } from './window/harden-windows.ts';
import { MainWindow } from './window/main-window.ts';
import { serveWindows } from './window/window-calls.ts';

/** The times of the program's own checks: of its file, and of what is due. */
const TICK_MS = 15_000;

/** The desktop app: the agent's process, and the window, the tray and the notifications that show its state. */
export class Program {
  readonly #paths: AppPaths;
  readonly #agent: AgentProcess;
  readonly #state: DisplayedState;
  readonly #window: MainWindow;
  readonly #lock: WindowLock;
  readonly #idleLock: IdleLock;
  readonly #language = new CurrentLanguage();
  readonly #sleepBlocker = new SleepBlocker();
  readonly #previews = new Previews();
  readonly #copies: TemporaryCopies;
  readonly #crashes: CrashReports;
  readonly #agentErrors: AgentErrors;
  readonly #fileManagers = new FileManagerMenus();
  readonly #backgroundNotice: BackgroundNotice;
  /** A file that asks the next start to open no window. */
  readonly #hiddenMark: string;
  readonly #updates: Updates;
  readonly #hasNoSandbox = isImageWithoutSandbox();
  #tray: StatusIcon | undefined;
  #isConfirming = false;
  #isEnding = false;

  constructor(paths: AppPaths) {
    this.#paths = paths;
    this.#copies = new TemporaryCopies(join(paths.windowFolder, 'copies'));
    const folder = join(paths.home, 'crash-reports');
    this.#crashes = new CrashReports({
      folder,
      program: app.getAppPath(),
      version: app.getVersion(),
      now: Date.now,
    });
    this.#agentErrors = new AgentErrors((crash) => this.#crashes.add(crash));
    process.on('uncaughtExceptionMonitor', (error) =>
      this.#crashes.add({ part: 'program', reason: 'uncaught', output: error.stack }),
    );
    this.#backgroundNotice = new BackgroundNotice(paths);
    this.#hiddenMark = join(paths.windowFolder, 'start-hidden');
    this.#state = new DisplayedState((state) => this.#show(state));
    this.#agent = new AgentProcess(forkAgent(paths.agentProgram, paths.keychainProgram, paths.home), {
      onState: (state) => this.#state.update(state),
      onNotice: (notice) => this.#notify(messageOf(notice, this.#language.current)),
      onBrowse: (url) => void (isWebAddress(url) && withInheritedUmask(() => shell.openExternal(url))),
      onReportDue: () => this.#sendReport(),
      onExit: (restartsAt, exitCode) => {
        this.#agentErrors.ended(exitCode);
        this.#state.agentExited(restartsAt);
      },
      onErrorOutput: (text) => this.#agentErrors.wrote(text),
      onTrouble: (trouble) => this.#state.agentFailing(trouble, { version: app.getVersion(), home: paths.home }),
    });
    this.#updates = composeUpdates({
      agent: caller(agentMethods, (name, input) => this.#agent.call(name, input)),
      hiddenMark: this.#hiddenMark,
      downloads: paths.windowFolder,
      resume: () => this.#agent.restart(),
      end: () => void this.end(),
      isWindowOpen: () => this.#window.current !== undefined,
      changed: () => this.#state.current && this.#showVisible(this.#state.current),
    });
    this.#lock = new WindowLock({
      file: join(paths.home, 'lock.json'),
      now: Date.now,
      canAuthenticate,
      changed: () => this.#lockChanged(),
    });
    this.#idleLock = new IdleLock(this.#lock, Date.now);
    this.#window = new MainWindow(paths, {
      onClosed: () => this.#windowClosed(),
      onUsed: () => this.#idleLock.used(),
      onGone: (reason, exitCode) => this.#crashes.add({ part: 'window', reason, exitCode }),
    });
  }

  /** Called once Electron is ready. */
  start(words: readonly string[]): void {
    const ask = (name: string, input: unknown): Promise<unknown> => this.#agent.call(name, input);
    const agent = caller(agentMethods, ask);
    this.#copies.removeSync();
    hardenWindows(this.#paths.page, this.#paths.documentPage, this.#previews);
    this.#setMenu();
    serveWindows({
      isOurs: (contents) => this.#window.isOurs(contents),
      callAgent: (name, input) => this.#agent.call(name, input),
      isLocked: () => this.#lock.isLocked,
      main: {
        ...shellCalls({
          agent,
          restartAgent: () => this.#agent.restart(),
          dismissRestart: () => this.#state.dismissRestart(),
          state: () => this.#state.current,
          language: () => this.#language.current,
          window: () => this.#window.current,
          authenticate: (password) => this.#authenticate(password, 'revealPhrase'),
        }),
        ...exportCalls({
          agent,
          language: () => this.#language.current,
          window: () => this.#window.current,
        }),
        ...previewCalls({
          agent,
          previews: this.#previews,
          copies: this.#copies,
          language: () => this.#language.current,
          window: () => this.#window.current,
          icon: this.#icon,
        }),
        ...crashCalls({
          reports: this.#crashes,
          language: () => this.#language.current,
          window: () => this.#window.current,
        }),
        ...reportCalls({ agent, language: () => this.#language.current }),
        ...keyCalls({ agent, authenticate: (password) => this.#authenticate(password, 'changeKey') }),
        ...lockCalls({
          agent,
          lock: this.#lock,
          canAuthenticate,
          authenticate: () => authenticate(this.#language.current.strings.shell.dialogs.unlock),
        }),
        ...updateCalls(this.#updates),
      },
    });
    this.#tray = new StatusIcon(this.#paths.assets, {
      callAgent: agent,
      show: () => this.show(),
      lock: () => this.#lock.lock(),
      quit: () => app.quit(),
      fail: (failure) => {
        const { what: title, todo: body } = failureWords(failure, this.#language.current);
        this.#notify({ title, body, view: 'home' });
      },
      language: () => this.#language.current,
    });
    this.#idleLock.start();
    this.#agent.start();
    const isHidden = takeStartHidden(this.#hiddenMark);
    if (!isHidden && !isStartedAtLogin(words)) this.showFor(words);
    setInterval(() => void this.#updates.tick(), TICK_MS);
    const report = (what: 'resumed' | 'power' | 'network') => void this.#agent.call('environment.changed', { what });
    watchPower(report);
    watchNetwork(() => report('network'));
    powerMonitor.on('shutdown', () => void this.end());
    // Electron's dialog would stop the window and the tray until somebody closes it, while the agent goes on. An error of the start is shown in it.
    process.on('uncaughtException', () => undefined);
  }

  show(wanted?: Wanted): void {
    if (app.isReady() && !this.#isEnding) this.#window.show(wanted);
  }

  /** Shows the window, with the previous versions of a path if the command line asks for them. */
  showFor(words: readonly string[]): void {
    const path = requestedPath(words);
    this.show(path === undefined ? undefined : { previousVersions: path });
  }

  /** Quits at a person's wish; asks first when a run would be interrupted. */
  async quit(): Promise<void> {
    if (this.#isConfirming || this.#isEnding) return;
    this.#isConfirming = true;
    const isConfirmed = await confirmQuit(this.#state.current, this.#language.current, this.#window.current);
    this.#isConfirming = false;
    if (isConfirmed) await this.end();
    else this.#window.close();
  }

  /** Lets the agent finish its work gracefully, then exits. */
  async end(): Promise<void> {
    if (this.#isEnding) return;
    this.#isEnding = true;
    this.#window.close();
    await this.#agent.stop();
    this.#copies.removeSync();
    app.exit(0);
  }

  #show(state: AppState): void {
    if (this.#language.update(state)) this.#setMenu();
    nativeTheme.themeSource = state.preferences.appearance;
    this.#sleepBlocker.update(state);
    if (!state.trouble) this.#updates.update({ isWanted: state.preferences.updates, hasRuns: state.runs.length > 0 });
    this.#showVisible(state);
    // The preferences are unknown while there is no agent.
    if (state.trouble) return;
    setLoginItem(state.preferences.startAtLogin, process.env);
    const label = this.#language.current.strings.shell.previousVersions;
    const item = state.preferences.fileManagers ? { command: ownCommand(process.env), label } : undefined;
    this.#fileManagers.update(item, process.env);
  }

  /** Shows the state in the window and the tray, as far as the lock allows. */
  #showVisible(state: AppState): void {
    const lock = this.#lock.state;
    const ofProgram = { update: this.#updates.state, hasNoSandbox: this.#hasNoSandbox };
    this.#window.update(visibleState({ ...state, ...ofProgram }, lock));
    this.#tray?.show(state, lock);
  }

  #lockChanged(): void {
    if (this.#lock.isLocked) this.#previews.clear();
    this.#setMenu();
    if (this.#state.current) this.#showVisible(this.#state.current);
  }

  #setMenu(): void {
    setAppMenu(this.#language.current, {
      canLock: this.#lock.isOn && !this.#lock.isLocked,
      lock: () => this.#lock.lock(),
      backUp: () => this.#backUp(),
      show: (view) => this.show(view),
    });
  }

  #backUp(): void {
    if (!this.#tray?.backUpOnly()) this.show('sets');
  }

  /** Verifies the person by the system, or else by the lock's password; returns false when neither is available. */
  async #authenticate(password: string | undefined, purpose: 'revealPhrase' | 'changeKey'): Promise<boolean> {
    if (canAuthenticate()) await authenticate(this.#language.current.strings.shell.dialogs[purpose]);
    else if (this.#lock.isOn) await this.#lock.verify(password);
    else return false;
    return true;
  }

  /** The agent records how it ended, and asks again if it was not sent. */
  #sendReport(): void {
    const agent = caller(agentMethods, (name, input) => this.#agent.call(name, input));
    void sendReport({ agent, language: () => this.#language.current }, true).catch(() => undefined);
  }

  #notify(message: Message): void {
    const { action, view } = message;
    notify(message, this.#icon, {
      onClick: () => this.show(view),
      ...(action && { onAction: () => this.#tray?.backUp(action.backUp) }),
    });
  }

  #windowClosed(): void {
    this.#previews.clear();
    if (this.#lock.locksOnClose) this.#lock.lock();
    if (this.#isEnding) return;
    if (this.#state.current?.health === 'not-set-up') return void this.#endWithoutWindow();
    void this.#backgroundNotice.showOnce(this.#language.current, (message) =>
      this.#notify({ ...message, view: 'home' }),
    );
  }

  /** Before setup there is nothing to do without a window, and without a tray nobody could open it again. */
  async #endWithoutWindow(): Promise<void> {
    if (!(await isTrayAvailable()) && !this.#window.current) await this.end();
  }

  get #icon(): string {
    return join(this.#paths.assets, 'icons/128x128.png');
  }
}
