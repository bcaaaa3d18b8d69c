import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { HoldfastError, systemCodeOf } from '../../../base/errors/errors.ts';
import { hasTimerName, timerOf } from './unit-name.ts';
import { userName } from '../../../base/files/user-home.ts';

/** Whether systemd runs the person's programs while nobody is signed in ("lingering"). */
export interface LoginState {
  /** `unknown`: there is no `loginctl`, or it does not answer. */
  readonly withoutLogin: 'yes' | 'no' | 'unknown';
  /** Why a change was refused, in the words of `loginctl`. */
  readonly refusal?: string;
}

/** `missing`: the unit of these timers is not installed. */
export type TimerUnit = 'on' | 'off' | 'missing';

/** Needed by the programs of systemd. Nothing else is passed on: the environment may have secrets. */
const PASSED_ON = ['PATH', 'HOME', 'USER', 'LOGNAME'] as const;

/** Of a systemd that starts: ten seconds in all. */
const LOOKS = 100;
const LOOK_MS = 100;

/** Of output that is read. */
const LONGEST = 2000;

export interface TimerPerson {
  readonly name: string;
  readonly uid: number;
  /** The folder of their sockets, whoever's session this is: `/run/user/UID`, by pam_systemd(8). */
  readonly sockets: string;
}

/** The hourly timers of sets in the person's systemd (deploy/systemd/user), and whether it runs without a login. */
export class UserTimers {
  readonly #environment: NodeJS.ProcessEnv;
  readonly #person: TimerPerson;

  constructor(environment: NodeJS.ProcessEnv, person: TimerPerson = thisPerson()) {
    const passed = PASSED_ON.map((name) => [name, environment[name]] as const);
    // Answers are read in English.
    this.#environment = {
      ...Object.fromEntries(passed.filter(([, value]) => value !== undefined)),
      ...sessionOf(environment, person),
      LC_ALL: 'C',
    };
    this.#person = person;
  }

  /** False for a person who is not signed in, as long as there is no lingering. No timer can be switched then. */
  get isRunning(): boolean {
    return existsSync(join(this.#environment['XDG_RUNTIME_DIR']!, 'systemd/private'));
  }

  /** Starts the person's systemd, which then runs without a login. @throws HoldfastError `timer_failed` */
  async start(): Promise<LoginState> {
    const state = await this.setLogin(true);
    if (state.refusal !== undefined) throw failed(state.refusal);
    for (let look = 0; look < LOOKS && !this.isRunning; look += 1) await sleep(LOOK_MS);
    return state;
  }

  /** @throws HoldfastError `timer_failed` */
  async state(set: string): Promise<TimerUnit> {
    if (!hasTimerName(set)) return 'off';
    const { code, output, error } = await this.#run('systemctl', ['--user', 'is-enabled', timerOf(set)]);
    if (code === 0) return 'on';
    // Without the person's systemd there is no answer.
    if (/\bbus\b/.test(error)) throw failed(error);
    if (/^not-found\s*$/.test(output) || /No such file|does not exist|not found/i.test(error)) return 'missing';
    // Other answers, such as "disabled", are no errors.
    if (/^[a-z-]+\s*$/.test(output)) return 'off';
    throw failed(error || output);
  }

  /** Sets whether systemd backs the set up every hour. @throws HoldfastError `timer_failed` */
  async set(set: string, isOn: boolean): Promise<void> {
    if (!isOn && (await this.state(set)) !== 'on') return;
    if (!hasTimerName(set)) throw new HoldfastError('timer_failed', { detail: timerOf(set), problem: 'long-name' });
    const { code, output, error } = await this.#run('systemctl', [
      '--user',
      '--no-ask-password',
      isOn ? 'enable' : 'disable',
      '--now',
      timerOf(set),
    ]);
    if (code !== 0) throw failed(error || output);
  }

  async login(): Promise<LoginState> {
    try {
      const { code, output, error } = await this.#run('loginctl', [
        'show-user',
        '--property=Linger',
        '--value',
        this.#person.name,
      ]);
      return { withoutLogin: lingering(code, output, error) };
    } catch {
      return { withoutLogin: 'unknown' };
    }
  }

  /** Sets whether systemd runs the person's programs without a login. Returns how it is afterwards, whatever was answered. */
  async setLogin(isWanted: boolean): Promise<LoginState> {
    let refusal: string | undefined;
    try {
      const { code, output, error } = await this.#run('loginctl', [
        '--no-ask-password',
        isWanted ? 'enable-linger' : 'disable-linger',
        this.#person.name,
      ]);
      if (code !== 0) refusal = oneLine(error || output) || `loginctl: ${code}`;
    } catch (error) {
      refusal = error instanceof HoldfastError ? String((error.details as { detail?: string }).detail) : String(error);
    }
    const state = await this.login();
    const isReached = state.withoutLogin === (isWanted ? 'yes' : 'no');
    return isReached ? state : { ...state, refusal: refusal ?? 'loginctl has changed nothing' };
  }

  async #run(
    program: string,
    words: readonly string[],
  ): Promise<{ readonly code: number | null; readonly output: string; readonly error: string }> {
    const child = spawn(program, words, { env: this.#environment, stdio: ['ignore', 'pipe', 'pipe'] });
    try {
      const [[code], output, error] = await Promise.all([
        once(child, 'close') as Promise<[number | null]>,
        text(child.stdout),
        text(child.stderr),
      ]);
      return { code, output: output.slice(0, LONGEST), error: error.slice(0, LONGEST) };
    } catch (error) {
      if (systemCodeOf(error) === 'ENOENT') throw failed(`${program} is missing`);
      throw failed(String(error));
    }
  }
}

function thisPerson(): TimerPerson {
  const uid = process.getuid?.() ?? -1;
  // The programs of systemd take the number, too.
  const name = userName() ?? String(uid);
  return { name, uid, sockets: `/run/user/${uid}` };
}

/** Returns where the person's systemd is reached. Jobs of cron and sudo name no place, and after su it may be another person's. */
function sessionOf(environment: NodeJS.ProcessEnv, { uid, sockets }: TimerPerson): NodeJS.ProcessEnv {
  const { XDG_RUNTIME_DIR: named, DBUS_SESSION_BUS_ADDRESS: bus } = environment;
  if (named === undefined || statSync(named, { throwIfNoEntry: false })?.uid !== uid)
    return { XDG_RUNTIME_DIR: sockets };
  return { XDG_RUNTIME_DIR: named, ...(bus === undefined ? {} : { DBUS_SESSION_BUS_ADDRESS: bus }) };
}

/** Reads the answer about a person who may neither be signed in nor known to systemd, which is then an error. */
export function lingering(code: number | null, output: string, error: string): LoginState['withoutLogin'] {
  if (code === 0) return output.trim() === 'yes' ? 'yes' : output.trim() === 'no' ? 'no' : 'unknown';
  return /not logged in|no user/i.test(error) ? 'no' : 'unknown';
}

function failed(message: string): HoldfastError<'timer_failed'> {
  const isAbsent = /^(?:systemctl|loginctl) is missing$|not been booted with systemd/.test(message);
  return new HoldfastError('timer_failed', {
    detail: oneLine(message),
    ...(isAbsent ? { problem: 'no-systemd' } : {}),
  });
}

/** The first line, without the full stop: sentences go on after it. */
function oneLine(message: string): string {
  return (message.trim().split('\n')[0] ?? '').replace(/\.$/, '');
}
