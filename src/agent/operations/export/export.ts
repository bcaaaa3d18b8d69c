import { requestedPoint } from '../../../jobs/job-request.ts';
import { createWriteStream, lstatSync, rmSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { targetPath } from '../../input/local-path.ts';
import { nameBeside } from '../../../base/files/name-beside.ts';
import { HoldfastError, isHoldfastError, systemCodeOf, wrongUsage } from '../../../base/errors/errors.ts';
import { ExportedPoint, type ExportReport } from '../../../restore/export/export-point.ts';
import { tarArchive } from '../../../restore/export/tar-archive.ts';
import { zipArchive } from '../../../restore/export/zip-archive.ts';
import { makePrivateFolderSync } from '../../../os/filesystem/make-folder.ts';
import { tryRenameExclusiveSync } from '../../../os/filesystem/rename.ts';
import { throwIfInterrupted } from '../../../jobs/interruption.ts';
import type { RestoreProgress, RunOptions } from '../../../jobs/progress.ts';
import { ReadingJob } from '../../../jobs/reading-job.ts';
import { countDownloads, ProgressMeter } from '../../../restore/progress-meter.ts';
import { FULL_CODES } from '../../../restore/write/target.ts';
import { unlinkIfPossible } from '../../../restore/write/write-files.ts';
import { WorkerPool } from '../../../workers/pool.ts';
import type { AgentParts } from '../../context/agent-parts.ts';
import type { EntrySelection } from '../../../model/restore-request.ts';
import { ownRoots } from '../../home/settings.ts';
import { givenEntryPaths } from '../../input/entry-path.ts';
import { openReading } from '../restore/reading-context.ts';

/** Paths may be as a person types them. */
export interface ExportOptions extends Omit<EntrySelection, 'destination'> {
  readonly format: 'tar' | 'zip';
  /** A new file, or a stream. */
  readonly to: string | NodeJS.WritableStream;
  /** True if the person has agreed to replace an existing file. */
  readonly replaces?: boolean;
}

/**
 * Writes a restore point, or some paths of it, as an archive, and records that. A file has its name when it is complete.
 *
 * @throws HoldfastError `usage` if the file exists, `target_unwritable`, `target_full`, `interrupted`, and what `ExportedPoint.open` throws
 */
export async function exportPoint(
  parts: AgentParts,
  options: ExportOptions,
  run: RunOptions<RestoreProgress> = {},
): Promise<ExportReport> {
  const { home, clock } = parts;
  const { signal } = run;
  makePrivateFolderSync(home.scratchFolder);
  await using pool = new WorkerPool();
  await using context = await openReading(parts, options, signal);
  const { catalog, access, keys, source } = context;
  const roots = ownRoots(home, options);
  const paths = givenEntryPaths(options.paths, roots);
  const file = typeof options.to === 'string' ? targetPath(options.to) : null;
  const job = new ReadingJob(catalog.journal, clock, {
    kind: 'export',
    backupSet: source.backupSet,
    destination: catalog.destination,
    trigger: run.trigger,
    request: { ...requestedPoint(source), paths, file },
  });
  run.onJob?.(job.id);
  const meter = new ProgressMeter('export', clock, run.onProgress);
  const downloader = countDownloads(context.downloader, meter);
  const write = async (): Promise<ExportReport & { readonly bytesDownloaded: number }> => {
    const deps = { service: access.service, downloader, catalog, pool, keys, clock, scratch: home.scratchFolder };
    const request = {
      source,
      paths,
      without: givenEntryPaths(options.without ?? [], roots),
      format: options.format,
    };
    using point = await ExportedPoint.open(request, deps, { signal, meter });
    job.reading();
    const archive = options.format === 'tar' ? Readable.from(tarArchive(point.entries())) : zipArchive(point.entries());
    await (typeof options.to === 'string'
      ? writeFile(options.to, archive, options.replaces === true, signal)
      : pipeline(archive, options.to, { end: false, ...(signal ? { signal } : {}) }));
    meter.end();
    return { ...point.report, bytesDownloaded: meter.state.bytesDownloaded };
  };
  return await job.record(
    async () => {
      try {
        const report = await write();
        return { report, warnings: report.warnings.length + report.failuresTotal };
      } catch (error) {
        throwIfInterrupted(signal);
        throw access.explain(error);
      }
    },
    { signal },
  );
}

async function writeFile(
  file: string,
  archive: Readable,
  replaces: boolean,
  signal: AbortSignal | undefined,
): Promise<void> {
  const partial = nameBeside(file, '.holdfast-partial');
  try {
    // The system refuses here what it would refuse when the archive is complete: a name that is too long, a folder without rights.
    lstatSync(file, { throwIfNoEntry: false });
    rmSync(partial, { force: true });
    await pipeline(
      archive,
      createWriteStream(partial, { flags: 'wx', mode: 0o600, flush: true }),
      signal ? { signal } : {},
    );
    if (replaces || !tryRenameExclusiveSync(partial, file)) await rename(partial, file);
  } catch (error) {
    // What cannot be removed could not be written either, and that is the failure to report.
    unlinkIfPossible(partial);
    throw explained(error, file);
  }
}

function explained(error: unknown, file: string): unknown {
  const code = systemCodeOf(error);
  if (isHoldfastError(error) || code === undefined || code === 'ABORT_ERR') return error;
  if (code === 'EEXIST') {
    return wrongUsage({ problem: 'options', message: `${file} exists already. Choose another name.` });
  }
  if (FULL_CODES.has(code)) return new HoldfastError('target_full', { target: file }, { cause: error });
  return new HoldfastError('target_unwritable', { target: file, reason: code }, { cause: error });
}
