import type { restoreTimelineEn } from '../en/restore-timeline.ts';
import { countedSentenceOf } from '../plural.ts';

const count = countedSentenceOf('de');

export const restoreTimelineDe: typeof restoreTimelineEn = {
  label: 'Wiederherstellungspunkte, in denen sich dieser Ordner geändert hat, der älteste zuerst',
  bar: (when, changes) => `${when}: ${changes}`,
  here: (changes) => `In diesem Ordner: ${changes}`,
  same: 'nichts geändert',
  unknown: 'Änderungen sind nicht bekannt',
  added: (files) => count(files, '1 neu', '# neu'),
  changed: (files) => count(files, '1 geändert', '# geändert'),
  removed: (files) => count(files, '1 entfernt', '# entfernt'),
  compare: 'Vergleichen …',
  compareTitle: 'Was sich zwischen zwei Wiederherstellungspunkten geändert hat',
  from: 'Von',
  to: 'Bis',
  sameTime: 'Wähle zwei verschiedene Wiederherstellungspunkte.',
  nothing: 'Zwischen diesen beiden Wiederherstellungspunkten unterscheidet sich keine Datei.',
};
