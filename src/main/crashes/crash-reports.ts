import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { release } from 'node:os';
import { join } from 'node:path';
import { writeFileAtomicallySync } from '../../base/files/atomic-file.ts';
import { crashReport, type CrashedPart, type CrashReport } from '../../ipc/contract/crashes.ts';
import { ProgramFiles } from './own-program.ts';
import { redactedLines } from './redacted-error.ts';
import { HOUR } from '../../model/units.ts';

const MOST_REPORTS = 20;
const MOST_CHARACTERS = 16 * 1024;
/** A part that fails again and again writes no more than this many in an hour. */
const MOST_PER_HOUR = 5;
const FILE = /^(\d{13}-[0-9a-f]{8})\.json$/;

export interface Crash {
  readonly part: CrashedPart;
  /** A stable word of Electron's or ours: `crashed`, `oom`, `uncaught`. */
  readonly reason: string;
  readonly exitCode?: number | undefined;
  /** An error with its stack, or what the process wrote to its error output. */
  readonly output?: string | undefined;
}

export interface CrashReportsOptions {
  readonly folder: string;
  /** The folder with the files of the program. */
  readonly program: string;
  readonly version: string;
  readonly now: () => number;
}

/** The crash reports of a home. Nothing depends on them, so that failures of the disk are ignored. */
export class CrashReports {
  readonly #options: CrashReportsOptions;

  constructor(options: CrashReportsOptions) {
    this.#options = options;
  }

  /** Stores a report without names, paths and messages, in place of the oldest if there are many. */
  add({ part, reason, exitCode, output = '' }: Crash): void {
    const { folder, program, version, now } = this.#options;
    const at = now();
    try {
      const reports = this.list();
      if (reports.filter((report) => report.part === part && at - report.at < HOUR).length >= MOST_PER_HOUR) return;
      const facts = [
        `Holdfast ${version}`,
        `${process.platform} ${release()} ${process.arch}, Electron ${process.versions['electron'] ?? 'none'}, Node ${process.versions.node}`,
        `${new Date(at).toISOString()}: ${part}, ${plainWord(reason)}${exitCode === undefined ? '' : `, exit code ${exitCode}`}`,
      ];
      const text = [...facts, '', ...redactedLines(output, new ProgramFiles(program))]
        .join('\n')
        .trimEnd()
        .slice(0, MOST_CHARACTERS);
      const id = `${String(at).padStart(13, '0')}-${randomBytes(4).toString('hex')}`;
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      writeFileAtomicallySync(join(folder, `${id}.json`), JSON.stringify({ id, at, part, text: `${text}\n` }));
      for (const old of reports.slice(MOST_REPORTS - 1)) this.delete(old.id);
    } catch {
      // A report must not fail what it reports on.
    }
  }

  /** Newest first. What is no report is left out. */
  list(): readonly CrashReport[] {
    return this.#ids()
      .toSorted()
      .toReversed()
      .flatMap((id) => this.get(id) ?? []);
  }

  get(id: string): CrashReport | undefined {
    try {
      const parsed = crashReport.safeParse(JSON.parse(readFileSync(this.#fileOf(id), 'utf8')));
      return parsed.success && parsed.data.id === id ? parsed.data : undefined;
    } catch {
      return undefined;
    }
  }

  delete(id: string): void {
    rmSync(this.#fileOf(id), { force: true });
  }

  #ids(): readonly string[] {
    try {
      return readdirSync(this.#options.folder).flatMap((name) => FILE.exec(name)?.[1] ?? []);
    } catch {
      return [];
    }
  }

  #fileOf(id: string): string {
    return join(this.#options.folder, `${id}.json`);
  }
}

function plainWord(reason: string): string {
  return /^[\w-]{1,40}$/.test(reason) ? reason : 'unknown';
}
