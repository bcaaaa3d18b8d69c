import { describe, expect, test } from 'vitest';
import { englishIn, faultsOf } from './spoken-faults.ts';

describe('what a screen reader says', () => {
  test.each([
    ['push button.', 'a control without a name'],
    ['not checked check box', 'a control without a name'],
    ['NaN kB free of 271 GB', 'a value that is none'],
    ['Changed 2026-11-28T07:13:00', 'a time that nobody reads'],
    ['1Destination.', 'a number joined to a word'],
    ['Protected.Last backup 12 minutes ago.', 'two sentences joined'],
    ['Name \u25B2 push button', 'a symbol of an icon'],
    ['How often Every hour How often collapsed push button.', 'a name that is said twice'],
    [' Type All types Type collapsed push button.', 'a name that is said twice'],
  ])('%s: %s', (spoken, fault) => {
    expect(faultsOf(spoken)).toEqual([fault]);
  });

  test.each([
    'How often Every hour collapsed push button.',
    'main content Protected. Last backup just now.',
    'entry My files selected.',
    'System disk /home/anna/Holdfast · 69.6 GB free of 271 GB Your files are on this disk, too.',
    'Restore “chapter 2.txt” of 28 Nov 2026, 07:38… push button',
    'Documents folder 75 kB 28 Nov 2026, 07:13.',
    'https://backup.example.org',
  ])('%s', (spoken) => {
    expect(faultsOf(spoken)).toEqual([]);
  });
});

test.each([
  ['Sicherung von „My files“: Fertig.', undefined],
  ['Hauptinhalt Geschützt, außer wenn dieses Laufwerk ausfällt.', undefined],
  ['Backup of „My files“: Fertig.', 'Backup'],
  ['Wiederherstellen push button.', 'push'],
])('English in “%s”: %s', (spoken, word) => {
  expect(englishIn(spoken)).toBe(word);
});
