import type { Logger } from 'pino';
import { failureFacts } from '../failure-facts.ts';
import type { Mail, MailTransport } from './mail.ts';
import { MAIL_TEXTS, type MailContent, type MailLanguage, type MailTexts } from './mail-texts.ts';
import { HOUR, MINUTE } from '../../model/units.ts';

/** Milliseconds before each further attempt. */
const RETRIES: readonly number[] = [MINUTE, 10 * MINUTE, HOUR];

/** What a message is about. */
export type MailKind = 'alarm' | 'offline' | 'erasure' | 'password';

/** Messages of one kind that wait for another attempt at most; further ones are dropped. */
const MOST_WAITING = 1_000;

export interface ServiceMailOptions {
  readonly transport: MailTransport;
  /** Public address of the service, without a trailing slash. Links never depend on a request, which names any host that it likes. */
  readonly publicUrl: string;
  readonly language?: MailLanguage;
  readonly log: Logger;
  /** Whether this service is a muted copy, which sends nothing: the people are those of the original. */
  readonly isMuted?: () => boolean;
}

/** The mail of a service. The log contains no address and no text. */
export class ServiceMail {
  readonly #transport: MailTransport;
  readonly #publicUrl: string;
  readonly #language: MailLanguage;
  readonly #log: Logger;
  readonly #isMuted: () => boolean;
  readonly #waiting = new Map<NodeJS.Timeout, MailKind>();

  constructor({ transport, publicUrl, language = 'en', log, isMuted = () => false }: ServiceMailOptions) {
    this.#transport = transport;
    this.#publicUrl = publicUrl;
    this.#language = language;
    this.#log = log;
    this.#isMuted = isMuted;
  }

  get texts(): MailTexts {
    return MAIL_TEXTS[this.#language];
  }

  /** The address of the portal, or of a view of it. */
  link(view = ''): string {
    return `${this.#publicUrl}/${view}`;
  }

  /** @param time milliseconds since the epoch */
  timeText(time: number): string {
    const format = new Intl.DateTimeFormat(this.#language, { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });
    return `${format.format(time)} UTC`;
  }

  /** Sends in the background, and tries again for about an hour. A muted copy drops it. */
  queue(kind: MailKind, to: string, content: MailContent): void {
    if (this.#isMuted()) this.#refuse();
    else void this.#sendLater(kind, { to, ...content }, 0);
  }

  /** Does as much as `queue`, but for handing the message over: nobody has the address. */
  pretend(to: string, content: MailContent): void {
    if (this.#isMuted()) this.#refuse();
    else void this.#transport.pretend({ to, ...content }).catch(() => undefined);
  }

  /** Sends now. Returns whether the mail server accepted it. A muted copy returns false. */
  async send(mail: Mail): Promise<boolean> {
    if (this.#isMuted()) return this.#refuse();
    try {
      await this.#transport.send(mail);
      return true;
    } catch (error) {
      this.#log.error({ failure: failureFacts(error) }, 'a mail was not sent');
      return false;
    }
  }

  #refuse(): false {
    this.#log.warn('a mail was not sent: this is a copy of a service');
    return false;
  }

  async #sendLater(kind: MailKind, mail: Mail, failures: number): Promise<void> {
    const isSent = await this.send(mail);
    const delay = RETRIES[failures];
    if (isSent || delay === undefined || this.#isFull(kind)) return;
    const timer = setTimeout(() => {
      this.#waiting.delete(timer);
      void this.#sendLater(kind, mail, failures + 1);
    }, delay).unref();
    this.#waiting.set(timer, kind);
  }

  #isFull(kind: MailKind): boolean {
    return [...this.#waiting.values()].filter((one) => one === kind).length >= MOST_WAITING;
  }

  close(): void {
    for (const timer of this.#waiting.keys()) clearTimeout(timer);
    this.#transport.close();
  }
}
