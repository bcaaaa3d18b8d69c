import type { destinationsEn } from '../en/destinations.ts';
import { counterOf } from '../plural.ts';

const count = counterOf('de');

const COPIES = ['Keine Kopie', 'Eine Kopie', 'Zwei Kopien', 'Drei Kopien', 'Vier Kopien', 'Fünf Kopien'] as const;

export const destinationsDe: typeof destinationsEn = {
  places: {
    folder: (name) => `auf „${name}“`,
    bucket: (name) => `im Bucket „${name}“`,
    sftp: (name) => `auf dem Server „${name}“`,
    webdav: (name) => `auf dem Server „${name}“`,
    rclone: (name) => `bei „${name}“`,
    service: (name) => `beim Dienst „${name}“`,
  },
  copies: {
    complete: (copies, places) => `${COPIES[copies] ?? count(copies, 'Kopie', 'Kopien')}: ${places}.`,
    noComplete: 'Keine vollständige Kopie.',
    partial: (places) => `Unvollständig: ${places}.`,
    none: (places) => `Noch keine: ${places}.`,
    nowhere: (places) => `Noch keine Kopie: ${places}.`,
    setsOf: (some, all) => `${some} von ${count(all, 'Plan', 'Plänen')}`,
    noted: (place, notes) => `${place} (${notes})`,
    absent: 'nicht verbunden',
    failed: 'letzter Versuch fehlgeschlagen',
    firstFailed: 'erster Versuch fehlgeschlagen',
    behind: 'veraltet',
    running: 'erste Sicherung läuft',
    interrupted: 'erste Sicherung unterbrochen',
    oneOnDisk: 'Eine Kopie, auf einem Laufwerk an diesem Computer.',
    oneOnServer: 'Eine Kopie, auf einem Server in deinem Netzwerk.',
    addAnother: 'Füge ein Ziel an einem anderen Ort hinzu, damit bei Diebstahl oder Brand nicht beides verloren ist.',
    addElsewhere:
      'Alle Kopien sind in der Nähe dieses Computers. Füge ein Ziel an einem anderen Ort hinzu, damit bei Diebstahl oder Brand nicht alles verloren ist.',
  },
  title: 'Ziele',
  run: {
    opening: 'Verbindet',
    scanning: 'Durchsucht Dateien',
    storing: (done) => `${done} gesichert`,
    uploading: (done, total) => `${done} von ${total}`,
    committing: 'Wird abgeschlossen',
    done: 'Fertig',
    failed: 'Fehlgeschlagen',
    waiting: 'Wartet auf die Verbindung',
  },
  check: 'Prüfen…',
  repair: 'Reparieren…',
  actionsOf: (name) => `Aktionen für „${name}“`,
  rename: {
    open: 'Umbenennen\u00A0…',
    title: 'Dieses Ziel umbenennen',
    name: 'Name',
    submit: 'Umbenennen',
  },
  schedule: {
    open: 'Zeitplan\u00A0…',
    title: (name) => `Zeitplan von „${name}“`,
    label: 'Wann dorthin gesichert wird',
    sets: 'Wie die Sicherungspläne',
    setsHint: 'Jeder Plan wird nach seinem eigenen Zeitplan dorthin gesichert.',
    own: 'Nach einem eigenen Zeitplan',
    ownHint: 'Alle Pläne werden zu diesen Zeiten dorthin gesichert.',
    manual: 'Manuell',
    manualHint: 'Geplante Sicherungen überspringen es. Nur Sicherungen, die du selbst startest, gehen dorthin.',
    submit: 'Speichern',
    isOwn: (sentence) => `Eigener Zeitplan: ${sentence}`,
  },
  remove: {
    open: 'Entfernen\u00A0…',
    title: (name) => `„${name}“ entfernen?`,
    stays: (location) => `Nach ${location} wird nicht mehr gesichert. Die Sicherungen dort bleiben.`,
    comeBack:
      'Um es später wieder zu verwenden, füge dasselbe Ziel erneut hinzu. Seine Sicherungen werden dann fortgesetzt.',
    confirm: 'Entfernen',
  },
  standing: {
    running: 'Wird gesichert',
    absent: 'Nicht verbunden',
    failed: 'Letzter Versuch fehlgeschlagen',
    behind: 'Veraltet',
    interrupted: 'Unterbrochen',
    good: 'Aktuell',
    partial: 'Unvollständig',
    none: 'Noch keine Sicherung',
  },
  lastBackup: (ago) => `Letzte Sicherung ${ago}`,
  free: (bytes) => `${bytes} frei`,
  stored: (bytes) => `${bytes} gespeichert`,
  backedUpTo: (some, all) => `An ${some} von ${count(all, 'Ziel', 'Zielen')} gesichert`,
  inTray: (name, standing) => `${name}: ${standing}`,
};
