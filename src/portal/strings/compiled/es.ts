// Compiled from the catalogues by `npm run texts`. Do not edit.
import { en as source } from './en.ts';

export const es = (): typeof source => ({
  entrance: source.entrance,
  security: source.security,
  passkeys: source.passkeys,
  team: source.team,
  audit: source.audit,
  attention: source.attention,
  device: source.device,
  pages: source.pages,
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
