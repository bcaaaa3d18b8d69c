import type { restoreLookEn } from '../en/restore-look.ts';
import { countedSentenceOf } from '../plural.ts';

const count = countedSentenceOf('de');

export const restoreLookDe: typeof restoreLookEn = {
  versions: 'Fassungen, die neueste zuerst',
  points: (points) => count(points, '1 Wiederherstellungspunkt', '# Wiederherstellungspunkte'),
  lastIn: (when) => `Zuletzt in der Sicherung: ${when}`,
  mode: 'Was gezeigt wird',
  content: 'Inhalt',
  changes: 'Unterschiede',
  facts: (modified, size) => `${modified}, ${size}`,
  shown: 'Gezeigte Fassung',
  comparedWith: 'Verglichen mit',
  same: 'Beide Fassungen haben denselben Inhalt.',
  tooDifferent: 'Die beiden Fassungen haben zu wenig gemeinsam, um sie Zeile für Zeile zu vergleichen.',
  counts: (added, removed) =>
    `${count(added, '1 Zeile hinzugefügt', '# Zeilen hinzugefügt')}, ${count(removed, '1 Zeile entfernt', '# Zeilen entfernt')}`,
  added: 'hinzugefügt:',
  removed: 'entfernt:',
  sameLines: (lines) => count(lines, '1 gleiche Zeile', '# gleiche Zeilen'),
  text: (name) => `Text von „${name}“`,
  differences: (name) => `Unterschiede in „${name}“`,
  beginning: 'Nur der Anfang wird gezeigt. Eine Kopie enthält alles.',
  picture: (name) => `Bild „${name}“`,
  audio: (name) => `Tonaufnahme „${name}“`,
  pixels: (width, height) => `${width} × ${height} Pixel`,
  large: (size) => `Diese Datei ist ${size} groß.`,
  fetch: (size) => `${size} für die Vorschau laden`,
  tooLarge: 'Dateien dieser Größe lassen sich nur wiederherstellen.',
  none: {
    pdf: { title: 'PDF-Dokumente werden hier nicht gezeigt.', hint: 'Öffne eine Kopie, um das Dokument zu lesen.' },
    'huge-picture': {
      title: 'Dieses Bild hat zu viele Pixel, um hier gezeigt zu werden.',
      hint: 'Öffne eine Kopie, um es zu sehen.',
    },
    unknown: {
      title: 'Für diese Art von Datei gibt es keine Vorschau.',
      hint: 'Öffne eine Kopie, um den Inhalt zu sehen.',
    },
    empty: { title: 'Diese Datei ist leer.', hint: 'Sie enthält keine Daten.' },
  },
  drag: 'Ziehe dies in einen Ordner oder auf den Schreibtisch, um eine Kopie zu erhalten.',
  dragShort: 'Herausziehen',
  save: 'Kopie speichern …',
  saved: (path) => `Gespeichert als ${path}`,
  openCopy: 'Kopie öffnen',
  notOpened:
    'Es wurde keine Kopie geöffnet: Sie könnte als Programm starten, oder kein Programm öffnet diese Art von Datei. Speichere stattdessen eine Kopie.',
  now: (facts) => `Jetzt auf diesem Computer: ${facts}`,
  putBack: 'Dorthin zurück, wo sie war …',
  restoreThis: 'Diese Fassung wiederherstellen …',
  restoreBeside: 'Neben der jetzigen Datei wiederherstellen …',
};
