import { countedSentenceOf } from '../plural.ts';

const count = countedSentenceOf('en');

/** Texts of the window: what changed in a folder over time. */
export const restoreTimelineEn = {
  label: 'Restore points in which this folder changed, oldest first',
  bar: (when: string, changes: string) => `${when}: ${changes}`,
  here: (changes: string) => `In this folder: ${changes}`,
  same: 'nothing changed',
  unknown: 'changes are not known',
  added: (files: number) => count(files, '1 added', '# added'),
  changed: (files: number) => count(files, '1 changed', '# changed'),
  removed: (files: number) => count(files, '1 removed', '# removed'),
  compare: 'Compare…',
  compareTitle: 'What changed between two restore points',
  from: 'From',
  to: 'To',
  sameTime: 'Choose two different restore points.',
  nothing: 'No file differs between these two restore points.',
};
