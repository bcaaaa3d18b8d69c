import { z } from 'zod';
import { failure } from '../../base/calls/answer.ts';
import { method } from '../../base/calls/contract.ts';

/** Milliseconds since the epoch. */
const time = z.number();

const reportedWarning = z.object({
  reason: z.string(),
  files: z.int(),
  /** Paths, if they are wanted. */
  names: z.array(z.string()).optional(),
});
export type ReportedWarning = Readonly<z.infer<typeof reportedWarning>>;

const reportedSet = z.object({
  name: z.string(),
  /** The newest restore point ever: ISO 8601, with its files and bytes. */
  lastPoint: z.object({ at: z.string(), files: z.int(), bytes: z.number() }).optional(),
  runs: z.object({ succeeded: z.int(), warned: z.int(), failed: z.int(), stopped: z.int() }),
  bytesUploaded: z.number(),
  /** The failure of the last run, if that failed. */
  failure: failure.optional(),
  /** Warnings of the last run that made a restore point. */
  warnings: z.array(reportedWarning),
  /** Signs of ransomware that a run showed, until a person dismisses them. */
  alarm: z.object({ since: time, reasons: z.array(z.string()) }).optional(),
  /** The newest test restore. */
  drill: z.object({ at: time, files: z.int(), failures: z.int() }).optional(),
});
export type ReportedSet = Readonly<z.infer<typeof reportedSet>>;

const reportedDestination = z.object({
  name: z.string(),
  sets: z.array(reportedSet),
  /** What all backups there take up after the last run of the period, and by how much that grew in the period. */
  storedBytes: z.number().optional(),
  grownBytes: z.number().optional(),
});
export type ReportedDestination = Readonly<z.infer<typeof reportedDestination>>;

/** What happened to the backups of this computer in some days. Every text of a report is made from it. */
export const periodReport = z.object({
  device: z.string(),
  from: time,
  to: time,
  destinations: z.array(reportedDestination),
});
export type PeriodReport = Readonly<z.infer<typeof periodReport>>;

/** As browsers check it (HTML, "valid e-mail address"): also `root@localhost`. */
export const mailAddress = z.email({ pattern: z.regexes.html5Email }).max(254);

/** A weekly report by e-mail. */
export const reportSettings = z.object({
  isOn: z.boolean(),
  /** 0 is Sunday. */
  weekday: z.int().min(0).max(6),
  /** Minutes after midnight. */
  minute: z.int().min(0).max(1439),
  to: z.array(mailAddress).min(1).max(10),
  /** The first recipient if missing. */
  from: mailAddress.optional(),
  /** A name or an address of the network. */
  host: z
    .string()
    .max(253)
    .regex(/^(?:[a-z\d](?:[a-z\d.-]*[a-z\d])?|\[[\da-f:.]+\])$/i),
  port: z.int().min(1).max(65_535),
  /** From the start of the connection, or by STARTTLS. */
  security: z.enum(['tls', 'starttls']),
  /** Empty for a server that asks nobody to sign in. */
  user: z.string().max(254),
  /** Names files that warnings are about. */
  withNames: z.boolean(),
});
export type ReportSettings = Readonly<z.infer<typeof reportSettings>>;

export const reportState = z.object({
  /** Missing before it was set up. */
  settings: reportSettings.optional(),
  hasPassword: z.boolean(),
  /** When a mail was last sent by itself. */
  sentAt: time.optional(),
  /** The last attempt, if it failed. */
  failed: z.object({ at: time, failure }).optional(),
  /** When the next one is due, while it is on. */
  nextAt: time.optional(),
});
export type ReportState = Readonly<z.infer<typeof reportState>>;

export const reportMethods = {
  'report.get': method(z.object({}), reportState),
  /**
   * Saves the settings. Without `password` the stored one stays, but only for the same user of the same server: a page that was taken
   * over could otherwise have it sent elsewhere. Fails with `not_set_up`, `home_unwritable`, `keychain_unavailable`.
   */
  'report.save': method(
    z.object({ settings: reportSettings, password: z.string().max(1024).optional() }),
    z.object({}),
  ),
  /** Forgets the settings and the password. */
  'report.remove': method(z.object({}), z.object({})),
  /** Returns what a report of the last week says now. */
  'report.preview': method(z.object({}), z.object({ report: periodReport })),
} as const;

/** Performed by the main process, which knows the language of the texts. */
export const reportShellMethods = {
  /** Sends a report now, with the saved settings. Fails with `mail_failed`, `not_set_up`. */
  'report.send-test': method(z.object({}), z.object({})),
} as const;

/** Methods of the agent for the main process alone. */
export const privateReportMethods = {
  /** Sends a text with the saved settings. `isScheduled` if it is what the event `reportDue` asked for. */
  'report.send': method(
    z.object({
      subject: z.string().max(1_000),
      text: z.string().max(2_000_000),
      html: z.string().max(4_000_000),
      isScheduled: z.boolean(),
    }),
    z.object({}),
  ),
} as const;
