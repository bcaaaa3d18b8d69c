import { spawn, type ChildProcess } from 'node:child_process';
import type { Message } from './notification-message.ts';
import { escapedText } from '../../base/markup.ts';

/** More than this would be processes for notifications that nobody has closed for days. */
const MOST_SHOWN = 5;
const LONGEST_ANSWER = 100;
/** The names of the actions: a click on the whole is `default` by the specification of freedesktop.org. */
const CLICK = 'default';
const BUTTON = 'button';

export interface ButtonNotification {
  readonly message: Pick<Message, 'title' | 'body'>;
  /** The label of its button. */
  readonly label: string;
  /** A file with a picture. */
  readonly icon: string;
  readonly onClick: () => void;
  readonly onButton: () => void;
  /** Called if it was not shown: the program is missing, is older than 0.7.10, or finds no desktop. */
  readonly onFailure: () => void;
}

/**
 * Shows notifications with a button on Linux by libnotify's `notify-send`, which most desktops install: Electron's have none there
 * (electron/electron#24333). The program ends when the notification is closed, or prints the name of what was pressed.
 */
export class ButtonNotifications {
  readonly #program: string;
  readonly #shown = new Set<ChildProcess>();

  constructor(program = 'notify-send') {
    this.#program = program;
  }

  show({ message: { title, body }, label, icon, onClick, onButton, onFailure }: ButtonNotification): void {
    const actions = [`--action=${CLICK}=${label}`, `--action=${BUTTON}=${label}`];
    const words = ['--app-name=Holdfast', '--hint=string:desktop-entry:org.holdfast.Holdfast', `--icon=${icon}`];
    // Names come from anybody, and desktops read the body as markup.
    const child = spawn(this.#program, [...words, ...actions, '--', title, escapedText(body)], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let answer = '';
    child.stdout.on('data', (bytes: Buffer) => (answer = `${answer}${bytes.toString()}`.slice(0, LONGEST_ANSWER)));
    child.once('error', onFailure);
    child.once('close', (code) => {
      this.#shown.delete(child);
      // A negative code is that of an error, which was reported; null is that of a signal.
      if (code !== null && code > 0) onFailure();
      else if (answer.trim() === CLICK) onClick();
      else if (answer.trim() === BUTTON) onButton();
    });
    this.#shown.add(child);
    const [oldest] = this.#shown;
    if (this.#shown.size > MOST_SHOWN && oldest) this.#end(oldest);
  }

  /** Closes all of them: without this program nobody would listen. */
  close(): void {
    for (const child of this.#shown) this.#end(child);
  }

  #end(child: ChildProcess): void {
    this.#shown.delete(child);
    child.kill();
  }
}
