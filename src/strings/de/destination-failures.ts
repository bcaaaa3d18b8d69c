import type { destinationFailuresEn } from '../en/destination-failures.ts';

export const destinationFailuresDe: typeof destinationFailuresEn = {
  'usage:destination-kind': () => ({
    what: 'Deine Sicherungen liegen an einem Ziel anderer Art.',
    todo: 'Beginne dort stattdessen neue Sicherungen.',
  }),
  'usage:destination-same': (facts) => ({
    what: `Deine Sicherungen gehen schon an das Ziel ${facts.text('directory')}.`,
    todo: 'Wähle ein anderes.',
  }),
  'usage:destination-other': (facts) => ({
    what: `${facts.text('directory', 'Dieses Ziel')} enthält nicht die Sicherungen dieses Computers.`,
    todo: 'Wähle, wo sie jetzt liegen, oder beginne dort neue Sicherungen.',
  }),
  'usage:destination-older': (facts) => ({
    what: `Am Ziel ${facts.text('directory')} fehlt die neueste Sicherung von „${facts.text('set')}“: Es ist vielleicht eine ältere Kopie.`,
    todo: 'Wähle das Ziel mit allen Sicherungen, oder beginne dort neue Sicherungen.',
  }),
  'usage:destination-unknown': () => ({
    what: 'Dieses frühere Ziel ist nicht mehr bekannt.',
    todo: 'Öffne die Einstellungen noch einmal und wähle ein anderes.',
  }),
};
