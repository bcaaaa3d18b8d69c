import type { destinationFailuresEn } from '../en/destination-failures.ts';

export const destinationFailuresDe: typeof destinationFailuresEn = {
  'usage:destination-kind': () => ({
    what: 'Deine Sicherungen liegen an einem Ziel anderer Art.',
    todo: 'Beginne dort stattdessen neue Sicherungen.',
  }),
  'usage:destination-same': (facts) => ({
    what: `Deine Sicherungen gehen schon nach ${facts.text('directory', 'diesem Ort')}.`,
    todo: 'Wähle einen anderen Ort.',
  }),
  'usage:destination-other': (facts) => ({
    what: `${facts.text('directory', 'Dieser Ort')} enthält nicht die Sicherungen dieses Computers.`,
    todo: 'Wähle den Ort, an dem sie jetzt liegen, oder beginne dort neue Sicherungen.',
  }),
  'usage:destination-older': (facts) => ({
    what: `Unter ${facts.text('directory', 'diesem Ort')} fehlt die neueste Sicherung von „${facts.text('set')}“: Es ist vielleicht eine ältere Kopie.`,
    todo: 'Wähle den Ort, an dem alle liegen, oder beginne dort neue Sicherungen.',
  }),
  'usage:destination-unknown': () => ({
    what: 'Dieses frühere Ziel ist nicht mehr bekannt.',
    todo: 'Öffne die Einstellungen noch einmal und wähle ein anderes.',
  }),
};
