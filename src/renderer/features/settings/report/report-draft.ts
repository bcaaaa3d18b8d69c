import { reportSettings } from '../../../../ipc/contract/report.ts';
import type { ReportSettings } from '../../../../ipc/contract/report.ts';

/** The settings of the weekly report as a person edits them. */
export interface ReportDraft extends Omit<ReportSettings, 'to' | 'from' | 'port'> {
  /** Separated by commas. */
  readonly to: string;
  readonly from: string;
  /** `undefined` while the field is empty. */
  readonly port: number | undefined;
  /** Empty to keep the stored one. */
  readonly password: string;
}

export const PORTS: Readonly<Record<ReportSettings['security'], number>> = { tls: 465, starttls: 587 };

const MONDAY = 1;
const NINE = 9 * 60;

export function draftOf(settings: ReportSettings | undefined): ReportDraft {
  if (settings) return { ...settings, to: settings.to.join(', '), from: settings.from ?? '', password: '' };
  return {
    isOn: true,
    weekday: MONDAY,
    minute: NINE,
    to: '',
    from: '',
    host: '',
    port: PORTS.tls,
    security: 'tls',
    user: '',
    withNames: false,
    password: '',
  };
}

/** Selects another encryption, with its port unless the person has chosen one. */
export function withSecurity(draft: ReportDraft, security: ReportSettings['security']): ReportDraft {
  const isUsual = draft.port === undefined || draft.port === PORTS[draft.security];
  return { ...draft, security, ...(isUsual && { port: PORTS[security] }) };
}

export type DraftProblem = 'to' | 'from' | 'host' | 'password';

/** Returns the settings to be saved, or which fields are wrong. */
export function checkedDraft(
  { password, ...draft }: ReportDraft,
  stored: { readonly settings?: ReportSettings | undefined; readonly hasPassword: boolean },
): { readonly settings: ReportSettings } | { readonly problems: ReadonlySet<DraftProblem> } {
  const from = draft.from.trim();
  const settings = {
    isOn: draft.isOn,
    weekday: draft.weekday,
    minute: draft.minute,
    to: draft.to.split(/[,;\s]+/).filter((address) => address !== ''),
    ...(from !== '' && { from }),
    host: draft.host.trim(),
    port: draft.port ?? PORTS[draft.security],
    security: draft.security,
    user: draft.user.trim(),
    withNames: draft.withNames,
  };
  const { to, from: sender, host } = reportSettings.shape;
  const problems = new Set<DraftProblem>([
    ...(to.safeParse(settings.to).success ? [] : ['to' as const]),
    ...(sender.safeParse(settings.from).success ? [] : ['from' as const]),
    ...(host.safeParse(settings.host).success ? [] : ['host' as const]),
    ...(settings.user !== '' && password === '' && !keepsPassword(settings, stored) ? ['password' as const] : []),
  ]);
  return problems.size > 0 ? { problems } : { settings };
}

/** The stored password stays only for the same user of the same server. */
export function keepsPassword(
  { host, port, security, user }: Pick<ReportDraft, 'host' | 'port' | 'security' | 'user'>,
  { settings, hasPassword }: { readonly settings?: ReportSettings | undefined; readonly hasPassword: boolean },
): boolean {
  if (!settings || !hasPassword) return false;
  return (
    host.trim() === settings.host &&
    port === settings.port &&
    security === settings.security &&
    user.trim() === settings.user
  );
}
