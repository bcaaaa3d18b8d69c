import { diskProblemOf } from '../../base/failure.ts';
import type { FailureSentences } from '../failure-types.ts';

type RestoreKeys = 'undo_nothing' | `mount_failed${string}` | `target_${string}`;

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
  mount_failed: (details) => ({
    what: `Sicherungen lassen sich in ${details.mountpoint} nicht einhängen${details.detail ? `: ${details.detail}` : ''}.`,
    todo: 'Wähle einen leeren Ordner, der dir gehört.',
  }),
  'mount_failed:system': () => ({
    what: 'Sicherungen lassen sich nur unter Linux einhängen.',
    todo: 'Stelle stattdessen in einen leeren Ordner wieder her, was du brauchst.',
  }),
  'mount_failed:device': () => ({
    what: 'Dieser Computer hat kein FUSE: /dev/fuse fehlt.',
    todo: 'Lade es mit „sudo modprobe fuse“. In einem Container muss es der Host erlauben.',
  }),
  'mount_failed:program': () => ({
    what: 'Das Programm fusermount3 fehlt.',
    todo: 'Installiere das Paket „fuse3“.',
  }),
  'mount_failed:stale': (details) => ({
    what: `Was in ${details.mountpoint} eingehängt war, ist beendet, aber noch nicht ausgehängt.`,
    todo: `Hänge es mit „fusermount3 -u ${details.mountpoint}“ aus.`,
  }),
  'mount_failed:missing': (details) => ({
    what: `${details.mountpoint} ist kein Ordner.`,
    todo: 'Lege den Ordner zuerst an oder wähle einen anderen.',
  }),
  'mount_failed:not-empty': (details) => ({
    what: `${details.mountpoint} ist nicht leer.`,
    todo: 'Wähle einen leeren Ordner: Was darin liegt, wäre nicht zu sehen, solange dort Sicherungen eingehängt sind.',
  }),
};
