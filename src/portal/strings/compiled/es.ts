// Compiled from the catalogues by `npm run texts`. Do not edit.
import { en as source } from './en.ts';
import { messagesOf } from '../../../strings/messages.ts';

const m = messagesOf('es');

export const es = (): typeof source => ({
  entrance: source.entrance,
  security: source.security,
  passkeys: source.passkeys,
  team: source.team,
  audit: source.audit,
  attention: source.attention,
  device: source.device,
  pages: {
    search: 'Buscar',
    range: (from, to, all) => `${m.text(from)}–${m.text(to)} de ${m.text(all)}`,
    previous: 'Anterior',
    next: 'Siguiente',
    nothing: 'Nada coincide',
    nothingHint: 'Prueba otra búsqueda u otro filtro.',
    everyStatus: 'Todos',
    counted: (text, number) => `${m.text(text)} (${m.text(number)})`,
  },
  erasure: source.erasure,
  common: source.common,
  shell: source.shell,
  noFiles: source.noFiles,
  sections: source.sections,
  overview: source.overview,
  devices: source.devices,
  backups: source.backups,
  webhooks: source.webhooks,
  failures: source.failures,
  failureWith: source.failureWith,
  failureOther: source.failureOther,
  waitSeconds: source.waitSeconds,
  plan: source.plan,
  retention: source.retention,
});
