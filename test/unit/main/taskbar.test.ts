import { expect, test } from 'vitest';
import type { AppState } from '../../../src/ipc/state.ts';
import { messageOf } from '../../../src/main/system/notification-message.ts';
import { taskbarState } from '../../../src/main/window/taskbar.ts';
import { runSentence } from '../../../src/strings/state-sentence.ts';
import { languageOf } from '../../../src/strings/strings.ts';
import { PROTECTED, RUNNING } from '../../app/renderer/states.ts';

const at = (change: Partial<AppState>): AppState => ({ ...PROTECTED, ...change });

test.each<[string, AppState, object]>([
  ['without a run', PROTECTED, { progress: -1, mode: 'none', count: 0 }],
  ['before the size is known', at({ runs: [{ ...RUNNING, bytesTotal: undefined }] }), { progress: 2 }],
  ['while a run stops', at({ runs: [{ ...RUNNING, phase: 'stopping' }] }), { progress: 2, mode: 'indeterminate' }],
  ['while a run waits', at({ runs: [{ ...RUNNING, waiting: 'service_unreachable' }] }), { mode: 'paused' }],
  ['with more done than expected', at({ runs: [{ ...RUNNING, bytesTotal: 1 }] }), { progress: 1 }],
  ['with needs', at({ health: 'attention', needs: [{ kind: 'signed-out' }] }), { progress: -1, count: 1 }],
  ['with needs that can wait', at({ needs: [{ kind: 'signed-out' }] }), { count: 0 }],
])('the taskbar %s', (_what, state, shown) => {
  expect(taskbarState(state)).toMatchObject(shown);
});

test('the taskbar shows the share of the sentence', () => {
  const { progress } = taskbarState(at({ runs: [RUNNING] }));
  expect(runSentence(RUNNING, languageOf('en', ['en-GB']))).toContain(`${Math.round(progress * 100)}%`);
});

test('a notification of a failure names its cause, shortly', () => {
  const words = languageOf('en', ['en-GB']);
  const bodyOf = (directory: string): string =>
    messageOf(
      { kind: 'backup-failed', set: 'Docs', failure: { code: 'destination_missing', details: { directory } } },
      words,
    ).body;
  expect(bodyOf('/media/anna/disk')).toBe('/media/anna/disk cannot be found, or no longer contains your backups.');
  expect(bodyOf(`/media/${'a'.repeat(300)}`)).toHaveLength(140);
  const failed = messageOf(
    { kind: 'restore-failed', set: 'Docs', failure: { code: 'signed_out', details: {} } },
    words,
  );
  expect(failed.body).toBe('Your session at the service has ended.');
  expect(messageOf({ kind: 'restore-failed', set: 'Docs' }, words).body).toMatch(/^No file was restored/);
});

test.each(['en', 'de'] as const)('what a backup mends has a button (%s)', (language) => {
  const words = languageOf(language, ['en-GB']);
  const failure = { code: 'destination_missing', details: { directory: '/media/anna/disk' } } as const;
  const message = messageOf({ kind: 'backup-failed', set: 'Docs', failure }, words);
  expect(message.action?.backUp).toBe('Docs');
  expect(messageOf({ kind: 'no-backup-for', set: 'Docs', days: 4 }, words).action?.backUp).toBe('Docs');
  expect(messageOf({ kind: 'suspicious-run', set: 'Docs' }, words)).not.toHaveProperty('action');
});
