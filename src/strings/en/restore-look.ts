import { countedSentenceOf } from '../plural.ts';

const count = countedSentenceOf('en');

/** Texts of the window: a file that is looked at. */
export const restoreLookEn = {
  versions: 'Versions, newest first',
  points: (points: number) => count(points, '1 restore point', '# restore points'),
  lastIn: (when: string) => `Last in the backup of ${when}`,
  mode: 'What is shown',
  content: 'Content',
  changes: 'Differences',
  facts: (modified: string, size: string) => `${modified}, ${size}`,
  shown: 'Shown version',
  comparedWith: 'Compared with',
  same: 'Both versions have the same content.',
  tooDifferent: 'The two versions have too little in common to compare them line by line.',
  counts: (added: number, removed: number) =>
    `${count(added, '1 line added', '# lines added')}, ${count(removed, '1 line removed', '# lines removed')}`,
  added: 'added:',
  removed: 'removed:',
  sameLines: (lines: number) => count(lines, '1 equal line', '# equal lines'),
  text: (name: string) => `Text of “${name}”`,
  differences: (name: string) => `Differences in “${name}”`,
  beginning: 'Only the beginning is shown. A copy has everything.',
  picture: (name: string) => `Picture “${name}”`,
  audio: (name: string) => `Audio “${name}”`,
  pixels: (width: string, height: string) => `${width} × ${height} pixels`,
  large: (size: string) => `This file is ${size}.`,
  fetch: (size: string) => `Download ${size} to preview`,
  tooLarge: 'Files of this size can only be restored.',
  none: {
    pdf: { title: 'PDF documents are not shown here.', hint: 'Open a copy to read it.' },
    'huge-picture': { title: 'This picture has too many pixels to be shown.', hint: 'Open a copy to see it.' },
    unknown: { title: 'There is no preview for this kind of file.', hint: 'Open a copy to see its content.' },
    empty: { title: 'This file is empty.', hint: 'It contains no data.' },
  },
  drag: 'Drag this to a folder or to the desktop to get a copy.',
  dragShort: 'Drag out',
  save: 'Save a copy…',
  saved: (path: string) => `Saved as ${path}`,
  openCopy: 'Open a copy',
  notOpened:
    'No copy was opened: it could start as a program, or no program opens this kind of file. Save a copy instead.',
  /** The file on this computer. */
  now: (facts: string) => `On this computer now: ${facts}`,
  putBack: 'Put back where it was…',
  restoreThis: 'Restore this version…',
  restoreBeside: 'Restore beside the current file…',
};
