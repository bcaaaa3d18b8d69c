import type { Describe } from '../failure-sentence.ts';

/** Of a change of the destination. */
export const destinationFailuresEn = {
  'usage:destination-kind': () => ({
    what: 'Your backups are of another kind of destination.',
    todo: 'Begin new backups there instead.',
  }),
  'usage:destination-same': (facts) => ({
    what: `Your backups go to ${facts.text('directory', 'this destination')} already.`,
    todo: 'Choose another one.',
  }),
  'usage:destination-other': (facts) => ({
    what: `${facts.text('directory', 'This destination')} does not hold the backups of this computer.`,
    todo: 'Choose where they are now, or begin new backups there.',
  }),
  'usage:destination-older': (facts) => ({
    what: `${facts.text('directory', 'This destination')} lacks the newest backup of “${facts.text('set')}”: it may be an older copy.`,
    todo: 'Choose the destination that has all of them, or begin new backups there.',
  }),
  'usage:destination-unknown': () => ({
    what: 'This earlier destination is not known any more.',
    todo: 'Open Settings again and choose another one.',
  }),
} satisfies Readonly<Record<string, Describe>>;
