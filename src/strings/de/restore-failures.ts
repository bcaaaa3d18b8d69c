import { diskProblemOf } from '../../base/failure.ts';
import type { FailureSentences } from '../failure-types.ts';

type RestoreKeys = 'undo_nothing' | `target_${string}`;

export const restoreFailuresDe: Pick<FailureSentences, Extract<keyof FailureSentences, RestoreKeys>> = {
  target_full: (details, formats) => ({
    what:
      details.needed !== undefined && details.free !== undefined
        ? `${details.target} hat ${formats.bytes(details.free)} frei, gebraucht werden ${formats.bytes(details.needed)}.`
        : `${details.target} hat nicht genug Platz.`,
    todo: 'Gib Speicherplatz frei oder wähle ein anderes Laufwerk. Dieselbe Wiederherstellung wird dort fortgesetzt, wo sie aufgehört hat.',
  }),
  target_unwritable: (details) =>
    diskProblemOf(details.reason) === 'failing'
      ? {
          what: `Das Laufwerk von ${details.target} meldet Fehler: Es wurde abgezogen oder ist defekt.`,
          todo: 'Schließe es wieder an, prüfe es und sein Kabel und stelle erneut wieder her, oder wähle einen anderen Ordner.',
        }
      : {
          what: `${details.target} lässt sich nicht beschreiben.`,
          todo: 'Wähle einen anderen Ordner oder prüfe, ob du dort schreiben darfst.',
        },
  'target_unwritable:gone': (details) => ({
    what: `${details.target} ist nicht mehr da.`,
    todo: 'Stelle neu wieder her, in diesen Ordner oder in einen anderen.',
  }),
  target_inside_source: (details) => ({
    what: `${details.target} liegt in einem Ordner, der gesichert wird.`,
    todo: 'Wähle einen Ordner außerhalb davon.',
  }),
  target_conflict: () => ({
    what: 'Einige dieser Dateien sind schon da, deshalb wurde nichts geschrieben.',
    todo: 'Wähle, was mit ihnen geschehen soll, oder verwende einen leeren Ordner.',
  }),
  undo_nothing: () => ({
    what: 'Keine Wiederherstellung der letzten sieben Tage lässt sich rückgängig machen.',
    todo: 'Was eine Wiederherstellung an den ursprünglichen Ort ersetzt hat, liegt daneben im Ordner „Before restore“.',
  }),
};
