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
    oneOnDisk: 'Eine Kopie, auf einem Laufwerk bei diesem Computer.',
    oneOnServer: 'Eine Kopie, auf einem Server in der Nähe dieses Computers.',
    addAnother: 'Füge einen weiteren Ort hinzu, damit bei Diebstahl oder Brand nicht beides verloren ist.',
    addElsewhere:
      'Alle sind in der Nähe dieses Computers. Füge einen Ort anderswo hinzu, damit bei Diebstahl oder Brand nicht alles verloren ist.',
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
    setsHint: 'Jeder Plan wird dort zu seinen eigenen Zeiten gesichert.',
    manual: 'Nur von Hand',
    manualHint: 'Geplante Sicherungen lassen es aus. Nur eine Sicherung, die du startest, geht dorthin.',
    submit: 'Speichern',
    isOwn: (sentence) => `Eigener Zeitplan: ${sentence}`,
  },
  remove: {
    open: 'Entfernen\u00A0…',
    title: (name) => `„${name}“ entfernen?`,
    stays: (location) => `Nach ${location} wird nicht mehr gesichert. Die Sicherungen dort bleiben.`,
    comeBack: 'Um zurückzukehren, füge dasselbe Ziel wieder hinzu. Seine Sicherungen gehen dann weiter.',
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
