import type { restoreEn } from '../en/restore.ts';
import { countedSentenceOf } from '../plural.ts';
import { restoreLookDe } from './restore-look.ts';
import { restoreTimelineDe } from './restore-timeline.ts';

const count = countedSentenceOf('de');

export const restoreDe: typeof restoreEn = {
  unknownPath: (path) => `Kein Sicherungsplan enthält ${path}. Deshalb gibt es davon keine früheren Versionen.`,
  none: 'Noch nichts zum Wiederherstellen',
  noneHint: 'Nach der ersten Sicherung findest du hier deine Dateien, wie sie zu jedem Wiederherstellungspunkt waren.',
  noPoints: 'Dieser Sicherungsplan hat noch keine Wiederherstellungspunkte.',
  source: 'Sicherungsplan',
  destination: 'Ziel',
  nearest: 'Nächstgelegenes Ziel',
  sourceOf: (set, device) => `${set} · ${device}`,
  here: 'dieser Computer',
  time: {
    label: 'Wiederherstellungspunkt',
    older: 'Älterer Wiederherstellungspunkt',
    newer: 'Neuerer Wiederherstellungspunkt',
    calendar: 'Tage mit Wiederherstellungspunkten',
    marked: 'Für fett gedruckte Tage gibt es Wiederherstellungspunkte.',
    previousMonth: 'Voriger Monat',
    nextMonth: 'Nächster Monat',
    list: 'Wiederherstellungspunkte, der neueste zuerst',
    pinned: 'Angeheftet: wird immer behalten',
    newest: 'neuester',
    summary: (files, bytes) => `${files}, ${bytes}`,
    gone: 'Den Wiederherstellungspunkt, den du gesucht hast, gibt es nicht mehr. Dies ist der neueste.',
    earlier: (points) =>
      count(
        points,
        'Ein früherer Wiederherstellungspunkt: Wähle einen früheren Tag',
        '# frühere Wiederherstellungspunkte: Wähle einen früheren Tag',
      ),
  },
  files: (files) => count(files, '1 Datei', '# Dateien'),
  browser: {
    label: 'Dateien in diesem Wiederherstellungspunkt',
    path: 'Ordner',
    top: 'Alle Ordner',
    up: 'Ein Ordner höher',
    name: 'Name',
    size: 'Größe',
    modified: 'Geändert',
    choose: 'Ausgewählt',
    chosen: 'ausgewählt',
    partly: 'teilweise ausgewählt',
    withFolder: 'mit seinem Ordner ausgewählt',
    folder: 'Ordner',
    link: 'Verknüpfung',
    reading: (entries) => `Bisher ${entries} …`,
    entries: (entries) => count(entries, '1 Eintrag', '# Einträge'),
    empty: 'Dieser Ordner ist leer.',
    deleted: 'gelöscht',
    deletedBefore: (entries) => count(entries, '1 vorher gelöschter', '# vorher gelöschte'),
    last: (when) => `Zuletzt: ${when}`,
    gone: (name) => `„${name}“ gab es zu dieser Zeit nicht. Dies ist der nächstgelegene Ordner, den es gab.`,
    keys: 'Pfeiltasten gehen von Zeile zu Zeile, mit Umschalttaste wählen sie aus. Eingabetaste öffnet, Leertaste wählt einen Eintrag aus, Strg+A alle. Rücktaste führt zum übergeordneten Ordner, die Menütaste öffnet ein Menü. Tippe einen Namen, um dorthin zu springen.',
    tooMany: (most) => `Mehr als ${most} Einträge: Wähle stattdessen ihren Ordner aus`,
    jumping: (start) => `Zu „${start}“ springen`,
    notFound: (start) => `Hier beginnt nichts mit „${start}“`,
  },
  menu: {
    label: (name) => `Aktionen für „${name}“`,
    open: 'Öffnen',
    look: 'Schnellansicht',
    versions: 'Fassungen …',
    copyPath: 'Pfad kopieren',
  },
  look: restoreLookDe,
  timeline: restoreTimelineDe,
  chosen: {
    nothing: 'Nichts ausgewählt.',
    none: 'Nichts ausgewählt. Wähle Dateien und Ordner aus oder stelle alles wieder her.',
    some: (folders, files) =>
      [
        ...(folders > 0 ? [count(folders, '1 Ordner', '# Ordner')] : []),
        ...(files > 0 ? [count(files, '1 Datei', '# Dateien')] : []),
      ].join(' und '),
    leftOut: (entries) => count(entries, 'ohne 1 Eintrag', 'ohne # Einträge'),
    lookingUp: 'Deine Auswahl wird zu dieser Zeit gesucht …',
    missing: (entries) =>
      count(
        entries,
        'Einen Eintrag deiner Auswahl gab es zu dieser Zeit nicht; er wird ausgelassen.',
        '# Einträge deiner Auswahl gab es zu dieser Zeit nicht; sie werden ausgelassen.',
      ),
    noneThere: 'Zu dieser Zeit gab es nichts von deiner Auswahl. Wähle eine andere Zeit oder etwas anderes.',
    sentence: (what) => `${what} ausgewählt`,
    sized: (what, bytes) => `${what} ausgewählt (${bytes})`,
    clear: 'Auswahl aufheben',
    restore: 'Wiederherstellen …',
    restoreOne: (name) => `Wiederherstellen: „${name}“ …`,
    restoreAll: 'Alles wiederherstellen …',
    all: 'Alles in diesem Wiederherstellungspunkt',
    more: (entries) => count(entries, 'und ein weiterer', 'und # weitere'),
  },
  filters: {
    label: 'Filter',
    kind: 'Art',
    kinds: { any: 'Jede Art', file: 'Dateien', directory: 'Ordner' },
    size: 'Größe',
    sizes: { any: 'Jede Größe', small: 'Bis 1 MB', medium: '1 bis 100 MB', large: 'Ab 100 MB' },
    changed: 'Geändert',
    times: {
      any: 'Irgendwann geändert',
      week: 'In den letzten 7 Tagen geändert',
      month: 'In den letzten 30 Tagen geändert',
      year: 'Im letzten Jahr geändert',
      before: 'Vor mehr als einem Jahr geändert',
    },
    deletedOnly: 'Nur gelöschte',
  },
  find: {
    field: 'In allen Sicherungen suchen',
    hint: 'Datei oder Ordner nach dem Namen suchen, in allen Sicherungen',
    label: 'In deinen Sicherungen gefunden',
    found: (files) => (files === 0 ? 'Keine Treffer' : count(files, '1 Treffer', '# Treffer')),
    more: (files) => `Nur die ersten ${files} werden gezeigt: Gib mehr vom Namen ein.`,
    filling: (known, total) => `Bisher sind ${known} von ${total} Wiederherstellungspunkten durchsucht.`,
    nothing: (text) => `Kein Name enthält „${text}“`,
    nothingHint: 'Versuche es mit einem kürzeren Teil des Namens. Auch Ordner werden gefunden.',
    place: (set, folder) => `${folder} · ${set}`,
    deleted: (when) => `Gelöscht. Zuletzt gesichert: ${when}.`,
    versions: (versions) => count(versions, 'Eine Fassung', '# Fassungen …'),
    look: 'Schnellansicht',
    lookAt: (name, versions) => `„${name}“: ${count(versions, 'Schnellansicht', '# Fassungen ansehen')}`,
    restoreVersion: (name, modified) => `„${name}“ vom ${modified} wiederherstellen …`,
  },
  toPlace: (folder, items) =>
    folder === null ? (items === 1 ? 'an den ursprünglichen Ort' : 'an die ursprünglichen Orte') : `nach ${folder}`,
  target: {
    title: 'Wiederherstellen',
    what: 'Was',
    from: (set, when) => `Aus „${set}“, ${when}`,
    where: 'Wohin',
    places: {
      original: {
        title: 'Dorthin zurück, wo es war',
        hint: 'Fehlende Ordner werden angelegt. Unveränderte Dateien bleiben, wie sie sind.',
      },
      folder: { title: 'In einen anderen Ordner', hint: 'In diesem Ordner behält alles seinen Namen.' },
    },
    to: 'In diesen Ordner',
    toNone: 'Noch kein Ordner gewählt',
    choose: 'Ordner wählen …',
    chooseOther: 'Anderer Ordner …',
    chooseTitle: 'Ordner wählen, in den wiederhergestellt wird',
    conflict: 'Wenn eine Datei schon da ist',
    conflictInPlace: 'Wenn sich eine Datei seither geändert hat',
    replaceInPlace: 'Die wiederhergestellte Datei ersetzt die aktuelle. Diese wird in einen Ordner daneben verschoben.',
    conflicts: {
      'keep-both': {
        title: 'Beide behalten',
        hint: 'Die wiederhergestellte Datei erhält einen neuen Namen. Es wird nichts ersetzt.',
      },
      skip: { title: 'Vorhandene behalten', hint: 'Nur fehlende Dateien werden wiederhergestellt.' },
      overwrite: {
        title: 'Ersetzen',
        hint: 'Die wiederhergestellte Datei tritt an ihre Stelle. Die vorhandene geht verloren.',
      },
      exact: {
        title: 'Den Ordner genau so herstellen, wie er war',
        hint: 'Geändertes wird ersetzt. Was es damals nicht gab, kommt in einen Ordner daneben. Ausgeschlossenes bleibt.',
      },
    },
    start: 'Wiederherstellung starten',
    startLater: 'Danach wiederherstellen',
    busy: {
      backup: (set) => `„${set}“ wird gerade gesichert. Die Wiederherstellung beginnt, sobald das fertig ist.`,
      verify: (set) => `„${set}“ wird gerade geprüft. Die Wiederherstellung beginnt, sobald das fertig ist.`,
      drill: (set) =>
        `Eine Probe-Wiederherstellung von „${set}“ läuft. Die Wiederherstellung beginnt, sobald das fertig ist.`,
      check: () => 'Das Ziel wird gerade geprüft. Die Wiederherstellung beginnt, sobald das fertig ist.',
      repair: () => 'Das Ziel wird gerade repariert. Die Wiederherstellung beginnt, sobald das fertig ist.',
      copy: () =>
        'Gerade werden Wiederherstellungspunkte kopiert. Die Wiederherstellung beginnt, sobald das fertig ist.',
      restore: (set) =>
        `„${set}“ wird gerade wiederhergestellt. Diese Wiederherstellung beginnt, sobald das fertig ist.`,
      other: () =>
        'Ein anderes Programm arbeitet mit deinen Sicherungen. Die Wiederherstellung beginnt, sobald es fertig ist.',
    },
  },
  plan: {
    title: 'Was passieren wird',
    working: 'Es wird ermittelt, was zu schreiben ist …',
    writes: (files, bytes) => `${files}, ${bytes} werden geschrieben.`,
    nothing: 'Es gibt nichts zu schreiben: Alles ist schon da.',
    conflicts: {
      'keep-both': (files) =>
        count(
          files,
          'Ein Objekt ist bereits vorhanden: Das wiederhergestellte erhält einen neuen Namen.',
          '# Objekte sind bereits vorhanden: Die wiederhergestellten erhalten neue Namen.',
        ),
      skip: (files) =>
        count(
          files,
          'Ein Objekt ist bereits vorhanden und bleibt unverändert.',
          '# Objekte sind bereits vorhanden und bleiben unverändert.',
        ),
      overwrite: (files) =>
        count(
          files,
          'Ein Objekt ist bereits vorhanden und wird ersetzt.',
          '# Objekte sind bereits vorhanden und werden ersetzt.',
        ),
    },
    inPlace: {
      'keep-both': (files) =>
        count(
          files,
          'Ein Objekt hat sich geändert: Das wiederhergestellte erhält einen neuen Namen.',
          '# Objekte haben sich geändert: Die wiederhergestellten erhalten neue Namen.',
        ),
      skip: (files) =>
        count(
          files,
          'Ein Objekt hat sich geändert und bleibt, wie es ist.',
          '# Objekte haben sich geändert und bleiben, wie sie sind.',
        ),
      overwrite: (files) =>
        count(
          files,
          'Ein Objekt hat sich geändert und wird ersetzt. Seine jetzige Fassung bleibt erhalten.',
          '# Objekte haben sich geändert und werden ersetzt. Ihre jetzigen Fassungen bleiben erhalten.',
        ),
    },
    noChanges: 'Keine andere Datei ist betroffen.',
    newer: (files, of) =>
      of === 1
        ? 'Sie wurde nach dieser Sicherung geändert.'
        : count(
            files,
            'Eine davon wurde nach dieser Sicherung geändert.',
            '# davon wurden nach dieser Sicherung geändert.',
          ),
    unchanged: (files) => count(files, 'Eine Datei ist schon dieselbe.', '# Dateien sind schon dieselben.'),
    surplus: (files, bytes) =>
      count(
        files,
        `Eine Datei (${bytes}) gab es damals nicht; sie kommt in einen Ordner daneben.`,
        `# Dateien (${bytes}) gab es damals nicht; sie kommen in einen Ordner daneben.`,
      ),
    noSurplus: 'Es ist nichts da, was es damals nicht gab.',
    fetch: (bytes) => `${bytes} herunterzuladen.`,
    noConflicts: 'Nichts davon ist schon da.',
    more: (files) => count(files, 'und eine weitere', 'und # weitere'),
    room: (bytes) => `${bytes} sind dort frei.`,
    noRoom: (missing) =>
      `Nicht genug Speicherplatz: Es fehlen ${missing}. Wähle einen anderen Ordner, oder gib zuerst Speicherplatz frei.`,
  },
  waiting: {
    sentence: {
      backup: (set, run, to) => `„${set}“ wird ${to} wiederhergestellt, sobald die Sicherung von „${run}“ fertig ist.`,
      verify: (set, run, to) => `„${set}“ wird ${to} wiederhergestellt, sobald die Prüfung von „${run}“ fertig ist.`,
      drill: (set, run, to) =>
        `„${set}“ wird ${to} wiederhergestellt, sobald die Probe-Wiederherstellung von „${run}“ fertig ist.`,
      check: (set, _run, to) => `„${set}“ wird ${to} wiederhergestellt, sobald die Prüfung des Ziels fertig ist.`,
      repair: (set, _run, to) => `„${set}“ wird ${to} wiederhergestellt, sobald die Reparatur des Ziels fertig ist.`,
      copy: (set, _run, to) =>
        `„${set}“ wird ${to} wiederhergestellt, sobald die Kopie der Wiederherstellungspunkte fertig ist.`,
      restore: (set, _run, to) =>
        `„${set}“ wird ${to} wiederhergestellt, sobald die andere Wiederherstellung fertig ist.`,
      other: (set, _run, to) =>
        `„${set}“ wird ${to} wiederhergestellt, sobald nichts anderes mehr deine Sicherungen verwendet.`,
    },
    forget: 'Nicht wiederherstellen',
    failed: 'Eine Wiederherstellung ist nicht abgeschlossen und wird nicht automatisch fortgesetzt.',
  },
  run: {
    title: 'Wiederherstellung läuft',
    phases: {
      scanning: 'Dateien werden durchgesehen',
      planning: 'Es wird ermittelt, was zu schreiben ist',
      uploading: 'Wird geschrieben',
      downloading: 'Wird geholt und geschrieben',
      committing: 'Wird abgeschlossen',
      finishing: 'Wird abgeschlossen',
      stopping: 'Wird angehalten',
    },
    label: (set) => `„${set}“ wird wiederhergestellt`,
    files: (done, total) => `Dateien: ${done} von ${total}`,
    filesSoFar: (done) => `Dateien: ${done}`,
    bytes: (done, total) => `${done} von ${total}`,
    left: (span) => `noch ${span}`,
    stop: 'Anhalten',
    leave: 'Du kannst weiterarbeiten. Die Wiederherstellung läuft weiter, auch wenn du diese Ansicht verlässt.',
    to: (folder) => (folder === null ? 'An den ursprünglichen Ort' : `Nach ${folder}`),
  },
  undo: {
    last: (set, when) => `Wiederhergestellt: „${set}“, ${when}.`,
    offer: 'Du kannst diese Wiederherstellung sieben Tage lang rückgängig machen.',
    begun: (set, when) => `Die Wiederherstellung von „${set}“ ist nicht ganz rückgängig gemacht: ${when}.`,
    what: (replaced, created) =>
      [
        ...(replaced > 0 ? [count(replaced, 'Eine Datei wurde ersetzt.', '# Dateien wurden ersetzt.')] : []),
        ...(created > 0 ? [count(created, 'Eine Datei kam hinzu.', '# Dateien kamen hinzu.')] : []),
      ].join(' '),
    undo: 'Rückgängig machen',
    dismiss: 'Ausblenden: Das Rückgängigmachen hier nicht mehr anbieten',
    goOn: 'Fertig rückgängig machen',
    done: 'Die Wiederherstellung ist rückgängig gemacht.',
    partly: 'Die Wiederherstellung ist so weit wie möglich rückgängig gemacht.',
    putBack: (files) =>
      files === 0
        ? 'Sie hatte nichts ersetzt.'
        : count(files, 'Ein Objekt ist wieder, wie es war.', '# Objekte sind wieder, wie sie waren.'),
    movedTo: (files, folder) =>
      count(
        files,
        `Die wiederhergestellte Datei ist jetzt in ${folder}.`,
        `Die # wiederhergestellten Dateien sind jetzt in ${folder}.`,
      ),
    showMoved: 'Wiederhergestelltes anzeigen',
    notUndone: (files) => count(files, 'Ein Objekt bleibt, wie es ist', '# Objekte bleiben, wie sie sind'),
    reason: (reason) =>
      reason === 'changed'
        ? 'seit der Wiederherstellung geändert'
        : reason === 'gone'
          ? 'die Fassung von vorher ist nicht mehr da'
          : reason === 'invalid'
            ? 'der Eintrag über die Wiederherstellung ist beschädigt'
            : reason === 'older'
              ? 'eine ältere Fassung, die aufgehoben wurde'
              : reason === 'attributes'
                ? 'Eigentümer oder besondere Rechte wurden nicht zurückgesetzt'
                : `sie ließ sich nicht verschieben (${reason})`,
  },
  result: {
    title: {
      succeeded: 'Wiederhergestellt',
      warnings: 'Wiederhergestellt, mit Warnungen',
      partly: 'Zum Teil wiederhergestellt',
      failed: 'Nicht wiederhergestellt',
      cancelled: 'Angehalten',
      interrupted: 'Unterbrochen',
    },
    done: (files, bytes, to) => `${files} (${bytes}) ${to} wiederhergestellt.`,
    unchanged: (files) => count(files, 'Eine Datei war schon dieselbe.', '# Dateien waren schon dieselben.'),
    keptIn: (folder) => `Was ersetzt wurde, ist in ${folder}.`,
    showKept: 'Ersetztes anzeigen',
    nothing: 'Es wurde nichts geschrieben.',
    cancelledHint: 'Schon wiederhergestellte Dateien bleiben dort. Unfertige wurden nicht behalten.',
    skipped: (files) =>
      count(
        files,
        'Eine Datei war schon da und blieb, wie sie war.',
        '# Dateien waren schon da und blieben, wie sie waren.',
      ),
    failures: (files) =>
      count(
        files,
        'Eine Datei konnte nicht wiederhergestellt werden',
        '# Dateien konnten nicht wiederhergestellt werden',
      ),
    failuresHint: 'Alle anderen sind vollständig. Ein neuer Versuch holt nur, was fehlt.',
    listed: (files) => `Die ersten ${files} sind aufgeführt.`,
    warnings: (warnings) => count(warnings, 'Eine Warnung', '# Warnungen'),
    retry: 'Diese erneut versuchen',
    again: 'Erneut versuchen',
    elsewhere: 'Ändern und erneut versuchen …',
    show: 'Im Dateimanager anzeigen',
    finish: 'Fertig',
  },
};
