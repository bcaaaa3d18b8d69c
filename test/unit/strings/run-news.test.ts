import { expect, test } from 'vitest';
import type { AppState } from '../../../src/ipc/state.ts';
import type { ActiveRun } from '../../../src/model/run.ts';
import { runNews } from '../../../src/strings/run-news.ts';
import type { AnnouncedRun } from '../../../src/strings/run-news.ts';
import { languageOf } from '../../../src/strings/strings.ts';
import { DOCUMENTS, PROTECTED, RUNNING } from '../../app/renderer/states.ts';

const ENGLISH = languageOf('en', ['en-GB']);

/** Returns the announcements for a sequence of states. */
function heard(states: readonly AppState[]): readonly string[] {
  const texts: string[] = [];
  let announced: AnnouncedRun | undefined;
  for (const state of states) {
    const news = runNews(state, announced, ENGLISH);
    announced = news.announced;
    if (news.text !== undefined) texts.push(news.text);
  }
  return texts;
}

const running = (change: Partial<ActiveRun>): AppState => ({ ...PROTECTED, runs: [{ ...RUNNING, ...change }] });

test('announces the start of a run, each quarter and its end', () => {
  const ticks = Array.from({ length: 101 }, (_, percent) => running({ bytesDone: percent, bytesTotal: 100 }));
  const ended = { id: RUNNING.id, kind: 'backup', outcome: 'warnings', startedAt: 1, endedAt: 2, warnings: 3 } as const;
  const after: AppState = { ...PROTECTED, sets: [{ ...DOCUMENTS, lastBackup: ended }] };
  const scanning = running({ phase: 'scanning', bytesTotal: undefined });
  expect(heard([PROTECTED, scanning, scanning, ...ticks, PROTECTED, after, after])).toEqual([
    'Backing up “Documents”: scanning files.',
    'Backing up “Documents”: 25%.',
    'Backing up “Documents”: 50%.',
    'Backing up “Documents”: 75%.',
    'Backup of “Documents”: Done, with warnings.',
  ]);
});

test('announces nothing twice when more work is found, and nothing of earlier runs', () => {
  const at = (bytesDone: number, bytesTotal: number): AppState => running({ bytesDone, bytesTotal });
  expect(heard([PROTECTED, at(60, 100), at(60, 300), at(170, 300), PROTECTED])).toEqual([
    'Backing up “Documents”: 50%.',
  ]);
});
