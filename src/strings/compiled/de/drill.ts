// Compiled from the catalogues by `npm run texts`. Do not edit.
import type { drill as source } from '../en/drill.ts';
import { messagesOf } from '../../messages.ts';

const m = messagesOf('de');

export const drill = (): typeof source => ({
  title: 'Probe-Wiederherstellungen',
  never: 'Noch keine Probe-Wiederherstellung.',
  hint: 'Regelmäßig werden die neuesten und zufällig gewählte Dateien in einen vorübergehenden Ordner wiederhergestellt, verglichen und wieder entfernt.',
  passed: (set, when) => `„${m.text(set)}“ hat die Probe-Wiederherstellung bestanden: ${m.text(when)}.`,
  failed: (set, when) => `„${m.text(set)}“ hat die Probe-Wiederherstellung nicht bestanden: ${m.text(when)}.`,
  facts: (files, bytes) => m.plural(files, { one: `Eine Datei (${m.text(bytes)}) wiederhergestellt und verglichen, Bit für Bit gleich.`, other: `${m.text(files)} Dateien (${m.text(bytes)}) wiederhergestellt und verglichen, Bit für Bit gleich.` }),
  failures: (files) => m.plural(files, { one: 'Eine Datei ließ sich nicht so wiederherstellen, wie sie war.', other: `${m.text(files)} Dateien ließen sich nicht so wiederherstellen, wie sie waren.` }),
  start: 'Jetzt proben',
  startSet: (set) => `Jetzt proben: „${m.text(set)}“`,
  save: 'Nachweis speichern …',
  details: 'Einzelheiten',
  certificate: {
    title: 'Nachweis über Probe-Wiederherstellungen',
    lead: 'Holdfast hat die Dateien unten aus ihren Sicherungen in einen vorübergehenden Ordner wiederhergestellt und jedes Byte davon wieder gelesen. Jede wurde mit dem SHA-256 ihrer Teile verglichen, den die versiegelte Liste der Sicherung beweist.',
    device: 'Computer',
    issued: 'Ausgestellt',
    version: 'Holdfast',
    set: (set) => `Sicherungsplan „${m.text(set)}“`,
    destination: 'Ziel',
    tested: 'Geprobt',
    point: 'Wiederherstellungspunkt',
    size: 'Im Wiederherstellungspunkt',
    restored: 'Wiederhergestellt',
    sample: 'Ausgewählt',
    chosen: (newest, random) => `${m.text(newest)} neueste, ${m.text(random)} zufällig`,
    compared: 'So, wie sie gesichert wurden',
    onDisk: 'Gleich wie auf diesem Computer',
    filesOf: (files) => m.plural(files, { one: '1 Datei', other: `${m.text(files)} Dateien` }),
    sized: (files, bytes) => `${m.text(files)}, ${m.text(bytes)}`,
    result: 'Ergebnis',
    passed: 'Bestanden',
    failed: (files) => m.plural(files, { one: 'Nicht bestanden: 1 Datei', other: `Nicht bestanden: ${m.text(files)} Dateien` }),
    digest: 'SHA-256 der Liste',
    list: 'Dateien mit SHA-256',
    first: (files) => `Die ersten ${m.text(files)} sind aufgeführt.`,
    none: 'Es gab noch keine Probe-Wiederherstellung.',
    footer: 'Der SHA-256 der Liste ist der aus den Zeilen „Prüfsumme, zwei Leerzeichen, Pfad“ aller verglichenen Dateien, in dieser Reihenfolge.',
  },
});
