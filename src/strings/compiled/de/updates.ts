// Compiled from the catalogues by `npm run texts`. Do not edit.
import type { updates as source } from '../en/updates.ts';
import { messagesOf } from '../../messages.ts';

const m = messagesOf('de');

export const updates = (): typeof source => ({
  title: 'Updates',
  look: 'Nach Updates suchen',
  lookHint: 'Einmal am Tag. Ein Update wird installiert, wenn nichts gesichert, wiederhergestellt oder geprüft wird.',
  none: 'Diese Ausgabe von Holdfast sucht nicht nach Updates.',
  packageManager: 'Updates kommen von der Paketverwaltung deines Systems.',
  byAdministrator: 'Updates sind von deinem Administrator ausgeschaltet.',
  notChecked: 'Holdfast hat seit dem Start noch nicht nach Updates gesucht.',
  current: (when) => `Es gab keine neuere Version. Zuletzt geprüft: ${m.text(when)}`,
  checking: 'Nach Updates wird gesucht …',
  offered: (version) => `Version ${m.text(version)} ist verfügbar. Du bekommst sie dort, woher du diese Version hast.`,
  systemTooOld: (version) => `Version ${m.text(version)} ist verfügbar, braucht aber eine neuere Version des Betriebssystems dieses Computers.`,
  downloading: (version, percent) => `Version ${m.text(version)} wird heruntergeladen: ${m.text(percent)}`,
  ready: (version) => `Version ${m.text(version)} kann installiert werden.`,
  replaced: 'Eine neue Version ist installiert. Starte Holdfast neu, um sie zu verwenden.',
  afterRun: 'Das geht, sobald der laufende Vorgang fertig ist.',
  problems: {
    network: 'Der Update-Server ist nicht erreichbar. Holdfast versucht es später noch einmal.',
    signature: 'Der Update-Server hat ein Update angeboten, das nicht von den Herstellern von Holdfast signiert ist. Es wurde abgelehnt.',
    metadata: 'Der Update-Server hat ein Update angeboten, das diese Version nicht lesen kann. Es wurde abgelehnt.',
    damaged: 'Das heruntergeladene Update war beschädigt. Es wurde abgelehnt.',
    install: 'Das Update ließ sich nicht installieren. Holdfast läuft in dieser Version weiter.',
  },
  check: 'Jetzt prüfen',
  install: 'Installieren und neu starten',
  restart: 'Holdfast neu starten',
  news: 'Neuerungen …',
  newsTitle: 'Neuerungen',
  newsOf: (version) => `Version ${m.text(version)}`,
});
