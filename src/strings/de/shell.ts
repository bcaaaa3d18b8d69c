import type { shellEn } from '../en/shell.ts';
import { counterOf } from '../plural.ts';

const count = counterOf('de');

export const shellDe: typeof shellEn = {
  previousVersions: 'Frühere Versionen wiederherstellen …',
  tray: {
    starting: 'Holdfast startet.',
    progress: (done, total) => `${done} von ${total}`,
    progressAndTime: (done, total, remaining) => `${done} von ${total}, noch ${remaining}`,
    files: (files) => count(files, 'Datei', 'Dateien'),
    backUp: 'Jetzt sichern',
    backUpSet: (set) => `„${set}“ jetzt sichern`,
    stop: (set) => `„${set}“ anhalten`,
    pause: 'Pausieren',
    pauseHour: 'Für 1 Stunde',
    pauseTomorrow: 'Bis morgen früh',
    pauseOpen: 'Bis ich fortsetze',
    resume: 'Fortsetzen',
    open: 'Holdfast öffnen',
    unlock: 'Holdfast entsperren …',
    lock: 'Jetzt sperren',
    setUp: 'Holdfast einrichten …',
    quit: 'Holdfast beenden',
  },
  menu: {
    file: 'Datei',
    edit: 'Bearbeiten',
    view: 'Ansicht',
    window: 'Fenster',
    lock: 'Jetzt sperren',
    backUp: 'Jetzt sichern',
    close: 'Fenster schließen',
    quit: 'Holdfast beenden',
    zoomIn: 'Größer',
    zoomOut: 'Kleiner',
    zoomReset: 'Normale Größe',
    fullScreen: 'Vollbild',
  },
  notices: {
    stillRunning: {
      title: 'Holdfast sichert weiter',
      tray: 'Das Fenster ist geschlossen. Du findest Holdfast als Symbol in der Taskleiste oder Menüleiste.',
      noTray: 'Das Fenster ist geschlossen. Starte Holdfast erneut, um es zu öffnen.',
    },
    backupFailed: {
      title: (set) => `Die Sicherung von „${set}“ ist fehlgeschlagen`,
      titleAt: (set, places) => `Die Sicherung von „${set}“ auf ${places} ist fehlgeschlagen`,
      body: 'Klicke hier, um zu sehen, was passiert ist.',
    },
    noBackupFor: {
      title: (set, days) => `Seit ${count(days, 'Tag', 'Tagen')} keine Sicherung von „${set}“`,
      titleAt: (set, days, place) => `Seit ${count(days, 'Tag', 'Tagen')} keine Sicherung von „${set}“ auf „${place}“`,
      body: 'Klicke hier, um zu sehen, warum.',
    },
    restored: {
      title: (set) => `„${set}“ ist wiederhergestellt`,
      titleWithFailures: (set) => `„${set}“ ist teilweise wiederhergestellt`,
      body: (files) => `${count(files, 'Datei', 'Dateien')} wiederhergestellt.`,
      bodyWithFailures: (files, failures) =>
        `${count(files, 'Datei', 'Dateien')} wiederhergestellt, ${count(failures, 'Datei', 'Dateien')} nicht. Klicke hier, um zu sehen, welche.`,
    },
    restoreFailed: {
      title: (set) => `„${set}“ konnte nicht wiederhergestellt werden`,
      body: 'Keine Datei wurde wiederhergestellt. Klicke hier, um zu sehen, warum und was zu tun ist.',
    },
    verificationFailed: {
      title: (set) => `Eine Prüfung hat Schäden in „${set}“ gefunden`,
      body: 'Klicke hier, um zu sehen, was betroffen ist und was zu tun ist.',
    },
    suspiciousRun: {
      title: (set) => `Die Sicherung von „${set}“ zeigt Anzeichen von Ransomware`,
      titleElsewhere: 'Die Sicherung eines anderen Computers zeigt Anzeichen von Ransomware',
      body: 'Es werden keine Wiederherstellungspunkte gelöscht, bis du bestätigst, dass alles in Ordnung ist. Klicke hier, um zu sehen, was zu tun ist.',
    },
  },
  quit: {
    message: 'Eine Sicherung läuft noch',
    restoreMessage: 'Eine Wiederherstellung läuft noch',
    detail:
      'Sie kann im Hintergrund weiterlaufen. Wenn du sie anhältst, wird sie bei der nächsten Sicherung dort fortgesetzt.',
    restoreDetail:
      'Sie kann im Hintergrund weiterlaufen. Wenn du sie anhältst, ist nur ein Teil deiner Dateien wiederhergestellt.',
    keep: 'Im Hintergrund weiterlaufen lassen',
    stop: 'Anhalten und beenden',
  },
  hooks: {
    message: (set) => `Diese Befehle bei jeder Sicherung von „${set}“ ausführen?`,
    before: 'Vor jeder Sicherung:',
    after: 'Nach jeder Sicherung:',
    detail: 'Sie dürfen auf diesem Computer alles, was du darfst. Erlaube nur, was du selbst eingegeben hast.',
    tooLong: 'Diese Befehle sind zu lang',
    tooLongDetail: 'Schreibe sie in eine Datei, und gib deren Namen ein.',
    allow: 'Erlauben',
    cancel: 'Abbrechen',
  },
  dialogs: {
    saveKit: 'Notfallblatt speichern',
    kitFile: 'Holdfast-Notfallblatt',
    saveCopy: 'Kopie speichern',
    saveDiagnostics: 'Diagnose speichern',
    saveCertificate: 'Nachweis über Probe-Wiederherstellungen speichern',
    certificateFile: 'Holdfast Probe-Wiederherstellungen',
    diagnosticsFile: 'Holdfast-Diagnose',
    revealPhrase: 'deine Wiederherstellungsphrase anzeigen',
    changeKey: 'den Schlüssel deiner Sicherungen anzeigen oder ändern',
    unlock: 'das Fenster entsperren',
  },
  kit: {
    title: 'Notfallblatt',
    lead: 'Mit diesen 24 Wörtern kannst du jede Datei auf jedem Computer wiederherstellen, auch wenn es diesen nicht mehr gibt.',
    device: 'Computer',
    location: 'Ziel der Sicherungen',
    date: 'Gedruckt am',
    words: 'Deine Wiederherstellungsphrase',
    warningTitle: 'Verwahre dieses Blatt wie einen Schlüssel.',
    warning:
      'Wer es hat und auf deine Sicherungen zugreifen kann, kann sie lesen. Niemand kann die Wörter wiederherstellen, weder die Entwickler von Holdfast noch der Betreiber deines Speichers. Ohne sie und ohne diesen Computer lassen sich die Sicherungen nicht öffnen.',
    howTitle: 'So stellst du wieder her',
    steps: [
      'Installiere Holdfast auf einem beliebigen Computer und starte es.',
      'Wähle das oben genannte Ziel und gib die 24 Wörter in ihrer Reihenfolge ein.',
      'Wähle einen Wiederherstellungspunkt und deine Dateien und stelle sie wieder her.',
    ],
    terminal: 'Oder in einem Terminal:',
    terminalNote:
      'In words.txt stehen die 24 Wörter in einer Zeile. Der erste Befehl listet SET und ID von allem auf, was dort liegt.',
    footer: 'Seite 1 von 1. Drucke sie aus und verwahre den Ausdruck sicher. Lösche dann die Datei.',
  },
};
