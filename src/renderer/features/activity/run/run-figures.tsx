import type { ReactElement } from 'react';
import type { ListedRun } from '../../../../ipc/contract/activity.ts';
import type { CheckResult } from '../../../../ipc/contract/restore/check.ts';
import type { RunReport } from '../../../../ipc/contract/restore/restore.ts';
import { shortPath } from '../../../../strings/short-path.ts';
import type { Language } from '../../../../strings/strings.ts';
import { call } from '../../../bridge/bridge.ts';
import { FailureNotice } from '../../../../ui/requests/failure-notice.tsx';
import { Button } from '../../../../ui/buttons/button.tsx';
import { useAction } from '../../../../ui/requests/use-action.ts';
import { useLanguage } from '../../../shared/use-language.ts';

interface RunFiguresProps {
  readonly run: Pick<ListedRun, 'kind' | 'startedAt'> & { readonly endedAt?: number | undefined };
  readonly report: RunReport;
}

/** The figures of a run. */
export function RunFigures({ run, report }: RunFiguresProps): ReactElement {
  const language = useLanguage();
  const { strings, formats } = language;
  const words = strings.activity;
  const { run: act, failure } = useAction();
  const { to, restorePoint, file, mount, undo } = report;
  const places: readonly (readonly [label: string, path: string, isShown: boolean])[] = [
    ...(file === undefined ? [] : [[words.archiveFile, file, true] as const]),
    ...(mount ? [[words.mountFolder, mount.folder, false] as const] : []),
    ...(undo?.movedTo ?? []).map((folder) => [words.movedTo, folder, true] as const),
  ];
  return (
    <section className="ui-surface act-figures" aria-label={words.figures}>
      <dl className="act-figure-row">
        {figuresOf(run, report, language).map(([label, value]) => (
          <div key={label}>
            <dt className="ui-hint">{label}</dt>
            <dd className="act-figure ui-number">{value}</dd>
          </div>
        ))}
      </dl>
      {(to !== undefined || restorePoint !== undefined || places.length > 0) && (
        <dl className="act-facts-list">
          {restorePoint !== undefined && (
            <div>
              <dt className="ui-soft">{words.restorePoint}</dt>
              <dd>{formats.dateTime(restorePoint)}</dd>
            </div>
          )}
          {to !== undefined && (
            <div>
              <dt className="ui-soft">{words.restoredTo}</dt>
              <dd>
                {to === null ? words.originalPlace : <span title={to}>{shortPath(to, 60)}</span>}
                {to !== null && (
                  <Button kind="quiet" onPress={() => act(() => call('shell.show-path', { path: to }))}>
                    {words.showFolder}
                  </Button>
                )}
              </dd>
            </div>
          )}
          {places.map(([label, path, isShown]) => (
            <div key={path}>
              <dt className="ui-soft">{label}</dt>
              <dd>
                <span title={path}>{shortPath(path, 60)}</span>
                {isShown && (
                  <Button kind="quiet" onPress={() => act(() => call('shell.show-path', { path }))}>
                    {words.showFolder}
                  </Button>
                )}
              </dd>
            </div>
          ))}
        </dl>
      )}
      <FailureNotice failure={failure} />
    </section>
  );
}

/** From this share of a restore point on, what was stored already says something about its files. */
const MUCH_READ = 0.1;

type Figure = readonly [label: string, value: string];

function figuresOf(run: RunFiguresProps['run'], report: RunReport, language: Language): readonly Figure[] {
  const { strings, formats } = language;
  const words = strings.activity;
  if (report.check) return checkFigures(report.check, report, language);
  const { files, filesSkipped, filesUnchanged = 0, bytes, bytesTransferred, chunksNew, chunksDeduped } = report;
  const { bytesInPoint, pointsChecked = 1 } = report;
  const seconds = report.seconds ?? (run.endedAt === undefined ? undefined : (run.endedAt - run.startedAt) / 1000);
  const time = seconds === undefined ? [] : [[words.figureTime, formats.duration(seconds)] as const];
  if (run.kind === 'copy') {
    const copied = [words.figureCopied, formats.number(files)] as const;
    return [copied, [words.figureSent, formats.bytes(bytesTransferred)], ...time];
  }
  if (report.undo) {
    const { putBack, movedAside } = report.undo;
    return [
      [words.figurePutBack, formats.number(putBack)],
      [words.figureMovedAside, formats.number(movedAside)],
      ...time,
    ];
  }
  if (report.mount) {
    const { errors } = report.mount;
    return [...time, ...(errors === 0 ? [] : [[words.figureReadErrors, formats.number(errors)] as const])];
  }
  if (run.kind === 'export') {
    const [count, size] = [formats.number(files), formats.bytes(bytes)];
    return [
      [words.figureFiles, count],
      [words.figureSize, size],
      [words.figureReceived, formats.bytes(bytesTransferred)],
      ...time,
    ];
  }
  const chunks = (chunksNew ?? 0) + (chunksDeduped ?? 0);
  const handled =
    run.kind === 'backup' ? words.figureRead : run.kind === 'restore' ? words.figureWritten : words.figureChecked;
  const moved = run.kind === 'backup' ? words.figureSent : words.figureReceived;
  return [
    [words.figureFiles, formats.number(files)],
    ...(report.drill
      ? [
          [words.figureCompared, formats.number(report.drill.filesCompared)] as const,
          [words.figureOnDisk, formats.number(report.drill.filesSameOnDisk)] as const,
        ]
      : []),
    ...(filesSkipped === undefined || filesSkipped === 0
      ? []
      : [[words.figureSkipped, formats.number(filesSkipped)] as const]),
    ...(filesUnchanged === 0 ? [] : [[words.figureUnchanged, formats.number(filesUnchanged)] as const]),
    ...(pointsChecked === 1 ? [] : [[words.check.figurePoints, formats.number(pointsChecked)] as const]),
    ...(bytesInPoint === undefined ? [] : [[words.figureSize, formats.bytes(bytesInPoint)] as const]),
    ...(report.leftOut ? [[words.figureLeftOut, leftOutText(report.leftOut, language)] as const] : []),
    [handled, formats.bytes(bytes)],
    [moved, formats.bytes(bytesTransferred)],
    // Where little was read, most chunks are of the list of files.
    ...(chunksDeduped === undefined || chunks === 0 || bytes === 0 || bytes < (bytesInPoint ?? 0) * MUCH_READ
      ? []
      : [[words.figureKnown, formats.percent(Math.floor((chunksDeduped / chunks) * 100) / 100)] as const]),
    ...time,
  ];
}

function leftOutText(
  { files, bytes, isAtLeast }: NonNullable<RunReport['leftOut']>,
  { strings, formats }: Language,
): string {
  const words = strings.activity;
  const text = isAtLeast ? words.leftOutAtLeast : words.leftOut;
  return text(words.files(files), formats.bytes(bytes));
}

function checkFigures(check: CheckResult, report: RunReport, { strings, formats }: Language): readonly Figure[] {
  const words = strings.activity;
  const { files, bytes, bytesTransferred, seconds } = report;
  return [
    [words.figureFiles, formats.number(files)],
    [words.check.figureStored, formats.bytes(bytes)],
    [words.check.figureRead, formats.bytes(bytesTransferred)],
    [words.check.figurePoints, formats.number(check.restorePoints)],
    ...(seconds === undefined ? [] : [[words.figureTime, formats.duration(seconds)] as const]),
  ];
}
