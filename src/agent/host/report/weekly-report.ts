import type { Clock } from '../../../base/clock.ts';
import { failureOf, INTERNAL, type Failure } from '../../../base/errors/failure.ts';
import type { ReportSettings, ReportState } from '../../../ipc/contract/report.ts';
import type { AgentParts } from '../../context/agent-parts.ts';
import { mailServerOf, ReportFile, sendStoredReport, type ReportText } from '../../operations/report/report-file.ts';
import type { Timers } from '../../schedule/ports.ts';
import { reportError } from '../report-error.ts';
import type { StateChanges } from '../state-changes.ts';
import { isReportDue, lastingFailure, nextReport } from './next-report.ts';
import { MINUTE } from '../../../model/units.ts';

/** The clock may jump, as after a sleep. */
const TICK_MS = MINUTE;
/** If the main process has not answered by then, it is asked again. */
const ANSWER_MS = 10 * MINUTE;

export interface WeeklyReportParts extends Pick<AgentParts, 'home' | 'keyStore'> {
  readonly clock: Pick<Clock, 'now'>;
  readonly timers: Timers;
  readonly changes: Pick<StateChanges, 'notify'>;
  /** Asks the main process to write the report and to send it. */
  readonly due: () => void;
  readonly send?: (parts: WeeklyReportParts, text: ReportText) => Promise<unknown>;
}

/** The report that a home mails every week: its settings, and when it is due. */
export class WeeklyReport {
  readonly #parts: WeeklyReportParts;
  readonly #file: ReportFile;
  #cancel: (() => void) | undefined;
  #askedAt: number | undefined;
  /** Saving and removing take turns: of two at once, the settings are those of the password. */
  #saving: Promise<unknown> = Promise.resolve();

  constructor(parts: WeeklyReportParts) {
    this.#parts = parts;
    this.#file = new ReportFile(parts.home);
  }

  start(): void {
    this.#cancel?.();
    const stored = this.#file.load();
    const now = this.#parts.clock.now();
    const isAsked = this.#askedAt !== undefined && Math.abs(now - this.#askedAt) < ANSWER_MS;
    if (stored && isReportDue(stored, now) && !isAsked) {
      this.#askedAt = now;
      this.#parts.due();
    }
    this.#cancel = this.#parts.timers.after(TICK_MS, () => this.start());
  }

  close(): void {
    this.#cancel?.();
  }

  async state(): Promise<ReportState> {
    const stored = this.#file.load();
    if (!stored) return { hasPassword: false };
    const { settings, sentAt, failed } = stored;
    const nextAt = nextReport(stored, this.#parts.clock.now());
    return {
      settings,
      hasPassword: (await this.#parts.keyStore.mailPassword(mailServerOf(settings))) !== undefined,
      ...(sentAt !== undefined && { sentAt }),
      ...(failed && { failed }),
      ...(nextAt !== undefined && { nextAt }),
    };
  }

  /** The failure that a person should know about. */
  get failed(): { readonly at: number; readonly failure: Failure } | undefined {
    return lastingFailure(this.#file.load(), this.#parts.clock.now());
  }

  /** The stored password is not given to another server. @throws HoldfastError `not_set_up`, `home_unwritable`, `keychain_unavailable` */
  save(settings: ReportSettings, password: string | undefined): Promise<void> {
    return this.#inTurn(() => this.#save(settings, password));
  }

  async #save(settings: ReportSettings, password: string | undefined): Promise<void> {
    const { keyStore, clock, changes } = this.#parts;
    const server = mailServerOf(settings);
    const earlier = this.#file.load();
    const isOther = !earlier || mailServerOf(earlier.settings) !== server;
    // The password goes first, beside that of the server before: until the settings are on the disk, that one is used.
    if (password !== undefined || isOther) await keyStore.saveMailPassword(server, password);
    // A report may have been sent meanwhile.
    const before = this.#file.load();
    const sentAt = before?.sentAt;
    const since = before && isSameSchedule(before.settings, settings) ? before.since : clock.now();
    this.#askedAt = undefined;
    this.#file.save({ settings, since, ...(sentAt !== undefined && { sentAt }) });
    if (isOther) await keyStore.keepMailPassword(server);
    changes.notify();
    this.start();
  }

  remove(): Promise<void> {
    return this.#inTurn(async () => {
      this.#file.remove();
      await this.#parts.keyStore.keepMailPassword(undefined);
      this.#parts.changes.notify();
    });
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#saving.then(work);
    this.#saving = done.catch(() => undefined);
    return done;
  }

  /** @throws HoldfastError `report_not_set_up`, `mail_failed` */
  async send(text: ReportText, isScheduled: boolean): Promise<void> {
    const { send = sendStoredReport, clock } = this.#parts;
    let failure: Failure | undefined;
    try {
      await send(this.#parts, text);
    } catch (error) {
      if (!failureOf(error)) reportError(error);
      failure = failureOf(error) ?? INTERNAL;
      throw error;
    } finally {
      if (isScheduled) this.#record(clock.now(), failure);
    }
  }

  #record(at: number, failure: Failure | undefined): void {
    this.#askedAt = undefined;
    const stored = this.#file.load();
    if (!stored) return;
    const { failed: _failed, ...kept } = stored;
    const isSent = !failure || (failure.code === 'mail_failed' && failure.details.problem === 'refused');
    this.#file.save({ ...kept, ...(isSent && { sentAt: at }), ...(failure && { failed: { at, failure } }) });
    this.#parts.changes.notify();
  }
}

/** What was missed meanwhile is still sent. */
function isSameSchedule(before: ReportSettings, { isOn, weekday, minute }: ReportSettings): boolean {
  return before.isOn && isOn && before.weekday === weekday && before.minute === minute;
}
