import type { Handlers, InputOf, OutputOf } from '../../../base/calls/contract.ts';
import { formatTimestamp } from '../../../protocol/timestamp.ts';
import type { HistoryCompleteness, historyMethods, HistoryVersion } from '../../../ipc/contract/restore/history.ts';
import { pointInTime } from '../../input/point-in-time.ts';
import { ChangedTrees } from '../../operations/history/changed-trees.ts';
import type { DatedSpan, DatedVersion } from '../../operations/history/dated-span.ts';
import type { FoundPathVersion } from '../../operations/history/found-paths.ts';
import type { Completeness, HistoryAnswers } from '../../operations/history/history-answers.ts';

type Methods = typeof historyMethods;
type Output<Name extends keyof Methods> = OutputOf<Methods, Name>;

/** The calls of the thread that answers questions about the history: those of the window, and `close`. */
export type HistoryCalls = {
  [Name in keyof Methods]: (input: InputOf<Methods, Name>) => Output<Name>;
} & {
  /** Ends the thread. */
  close(input: undefined): void;
};

/** Converts the answers for the window. */
export function historyAnswersFor(answers: HistoryAnswers): Handlers<Methods> {
  const trees = new ChangedTrees(answers);
  return {
    'history.find': ({ after, count, ...search }) => {
      const { rows, next } = answers.find(search, { after, count });
      const matches = rows.map(({ path, set, device, spans, versions, isDeleted }) => ({
        path,
        set,
        device,
        spans: spans.map(spanOf),
        versions: versions.map(placedVersion),
        isDeleted,
      }));
      return { matches, next, completeness: completenessOf(answers.completeness(search)) };
    },
    'history.versions': ({ path, ...reference }) => ({
      versions: answers
        .versions(reference, path)
        .map((version) => Object.assign(placedVersion(version), { points: version.points })),
      completeness: completenessOf(answers.completeness(reference)),
    }),
    'history.folder': async ({ path, time, after, count, ...reference }) => {
      const at = await pointInTime(time, Date.now());
      const { rows, next, point, destination } = answers.folder(reference, { path, time: at, after, count });
      const entries = rows.map((entry) => Object.assign(versionOf(entry), { path: entry.path }));
      return { entries, next, restorePoint: formatTimestamp(point), destination };
    },
    'history.timeline': ({ path, count, ...reference }) => ({
      points: answers.timeline(reference, { path, count }).map(({ time, added, changed, removed, bytes }) => ({
        restorePoint: formatTimestamp(time),
        added,
        changed,
        removed,
        bytes,
      })),
    }),
    'history.gone': async ({ path, time, count, ...reference }) => {
      const gone = answers.gone(reference, { path, time: await timeOf(time), count });
      return { entries: gone.map((entry) => Object.assign(versionOf(entry), { path: entry.path })) };
    },
    'history.changes': async ({ from, to, after, count, ...reference }) => {
      const [start, end] = await Promise.all([
        from === undefined ? undefined : timeOf(from),
        pointInTime(to, Date.now()),
      ]);
      const found = answers.changes(reference, { from: start, to: end, after, count });
      const changes = found.rows.map(({ path, before, after: later }) => ({
        path,
        before: before && versionOf(before),
        after: later && versionOf(later),
      }));
      const { next, destination } = found;
      return { changes, next, from: formatTimestamp(found.from), to: formatTimestamp(found.to), destination };
    },
    'history.changed-folder': async ({ from, to, folder, first, count, ...reference }) => {
      const [start, end] = await Promise.all([
        from === undefined ? undefined : timeOf(from),
        pointInTime(to, Date.now()),
      ]);
      const { tree, between } = await trees.tree(reference, { from: start, to: end });
      const { entries, total } = tree.entries(folder, first, count);
      const since = between.from === 0 ? {} : { from: formatTimestamp(between.from) };
      const { sums, isCut } = tree;
      return {
        entries,
        total,
        sums,
        isCut,
        ...since,
        to: formatTimestamp(between.to),
        destination: between.destination,
      };
    },
  };
}

async function timeOf(text: string): Promise<number> {
  const time = await pointInTime(text, Date.now());
  return time === 'latest' ? Date.now() : time;
}

function spanOf({ from, to, madeFrom, madeTo }: DatedSpan): Output<'history.find'>['matches'][number]['spans'][number] {
  return {
    from: formatTimestamp(from),
    to: formatTimestamp(to),
    madeFrom: formatTimestamp(madeFrom),
    madeTo: formatTimestamp(madeTo),
  };
}

function versionOf({ kind, size, modified, content, ...span }: DatedVersion): HistoryVersion {
  return { ...spanOf(span), kind, size, modified: formatTimestamp(modified), content };
}

function placedVersion(version: FoundPathVersion): HistoryVersion & { readonly destinations: string[] } {
  return { ...versionOf(version), destinations: [...version.destinations] };
}

function completenessOf({ known, total, isListed, damaged }: Completeness): HistoryCompleteness {
  return { known, total, isListed, damaged: damaged.map(({ time }) => formatTimestamp(time)) };
}
