import type { Describe } from '../failure-sentence.ts';

/** Of a change of the destination. */
export const destinationFailuresEn = {
  'usage:destination-kind': () => ({
    what: 'Your backups are of another kind of destination.',
    todo: 'Begin new backups there instead.',
  }),
  'usage:destination-same': (facts) => ({
    what: `Your backups go to ${facts.text('directory', 'this place')} already.`,
    todo: 'Choose another place.',
  }),
  'usage:destination-other': (facts) => ({
    what: `${facts.text('directory', 'This place')} does not hold the backups of this computer.`,
    todo: 'Choose the place that they are at now, or begin new backups there.',
  }),
  'usage:destination-older': (facts) => ({
    what: `${facts.text('directory', 'This place')} lacks the newest backup of “${facts.text('set')}”: it may be an older copy.`,
    todo: 'Choose the place that holds all of them, or begin new backups there.',
  }),
  'usage:destination-unknown': () => ({
    what: 'This earlier destination is not known any more.',
    todo: 'Open Settings again and choose another one.',
  }),
} satisfies Readonly<Record<string, Describe>>;
