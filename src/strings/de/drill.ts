import type { Strings } from '../en.ts';
import { countedSentenceOf } from '../plural.ts';

const count = countedSentenceOf('de');

export const drillDe: Strings['drill'] = {
  title: 'Probe-Wiederherstellungen',
  never: 'Noch keine Probe-Wiederherstellung.',
  hint: 'Regelmäßig werden die neuesten und zufällig gewählte Dateien in einen vorübergehenden Ordner wiederhergestellt, verglichen und wieder entfernt.',
  passed: (set, when) => `„${set}“ hat die Probe-Wiederherstellung bestanden: ${when}.`,
  failed: (set, when) => `„${set}“ hat die Probe-Wiederherstellung nicht bestanden: ${when}.`,
  facts: (files, bytes) =>
    count(
      files,
      `Eine Datei (${bytes}) wiederhergestellt und verglichen, Bit für Bit gleich.`,
      `# Dateien (${bytes}) wiederhergestellt und verglichen, Bit für Bit gleich.`,
    ),
  failures: (files) =>
    count(
      files,
      'Eine Datei ließ sich nicht so wiederherstellen, wie sie war.',
      '# Dateien ließen sich nicht so wiederherstellen, wie sie waren.',
    ),
  start: 'Jetzt proben',
  startSet: (set) => `Jetzt proben: „${set}“`,
  save: 'Nachweis speichern …',
  details: 'Einzelheiten',
  certificate: {
    title: 'Nachweis über Probe-Wiederherstellungen',
    lead: 'Holdfast hat die Dateien unten aus ihren Sicherungen in einen vorübergehenden Ordner wiederhergestellt und jedes Byte davon wieder gelesen. Jede wurde mit dem SHA-256 ihrer Teile verglichen, den die versiegelte Liste der Sicherung beweist.',
    device: 'Computer',
    issued: 'Ausgestellt',
    version: 'Holdfast',
    set: (set) => `Sicherungsplan „${set}“`,
    destination: 'Ziel',
    tested: 'Geprobt',
    point: 'Wiederherstellungspunkt',
    size: 'Im Wiederherstellungspunkt',
    restored: 'Wiederhergestellt',
    sample: 'Ausgewählt',
    chosen: (newest, random) => `${newest} neueste, ${random} zufällig`,
    compared: 'So, wie sie gesichert wurden',
    onDisk: 'Gleich wie auf diesem Computer',
    filesOf: (files) => count(files, '1 Datei', '# Dateien'),
    sized: (files, bytes) => `${files}, ${bytes}`,
    result: 'Ergebnis',
    passed: 'Bestanden',
    failed: (files) => count(files, 'Nicht bestanden: 1 Datei', 'Nicht bestanden: # Dateien'),
    digest: 'SHA-256 der Liste',
    list: 'Dateien mit SHA-256',
    first: (files) => `Die ersten ${files} sind aufgeführt.`,
    none: 'Es gab noch keine Probe-Wiederherstellung.',
    footer:
      'Der SHA-256 der Liste ist der aus den Zeilen „Prüfsumme, zwei Leerzeichen, Pfad“ aller verglichenen Dateien, in dieser Reihenfolge.',
  },
};
