import type { AuditEntry } from '../../../protocol/portal/audit.ts';
import { RETENTION_PERIODS, type RetentionPolicy } from '../../../protocol/retention.ts';
import { policyText } from '../../shared/restore-points/policy-text.ts';
import type { Language } from '../../strings/language.ts';
import type { KnownNames } from './audit-detail.ts';

/** One thing that an entry says; `before` is what it was, where the entry is about a change. */
export interface AuditFact {
  readonly id: string;
  readonly label: string;
  readonly before?: string;
  readonly value: string;
}

/** What each kind of change is about. Details that are missing were, or are, not set. */
const CHANGED: Readonly<Record<string, readonly Field[]>> = {
  'member.role_changed': ['role'],
  'member.quota_changed': ['limit_bytes'],
  'device.renamed': ['name'],
  'webhook.changed': ['url', 'events'],
  'plan.changed': ['plan', 'limit_bytes'],
  'retention.changed': ['policy'],
};
type Field = 'role' | 'limit_bytes' | 'name' | 'url' | 'events' | 'plan' | 'policy';

/** Details that are the same before and after, in the order in which they are shown. */
const CONSTANT = [
  'scope',
  'member',
  'backup_set',
  'restore_point',
  'removed',
  'minimum_days',
  'role',
  'url',
  'name',
  'reason',
  'amount',
  'issuer',
  'invitation',
] as const;

/** Returns whatever an entry says beyond its row: what was changed first. */
export function auditFacts(entry: AuditEntry, names: KnownNames, language: Language): readonly AuditFact[] {
  const { kind, user_id: user, device_id: device, occurred_at: time, details } = entry;
  const words = language.strings.audit;
  const label = (id: string): string => words.fields[id] ?? id;
  const changed = CHANGED[kind] ?? [];
  const facts: AuditFact[] = changed.map((id) => ({
    id,
    label: label(id),
    before: stated(id, (name) => details[`previous_${name}`], language),
    value: stated(id, (name) => details[name], language),
  }));
  const add = (id: string, value: string | undefined): void => {
    if (value !== undefined && value !== '') facts.push({ id, label: label(id), value });
  };
  for (const id of CONSTANT) {
    const value = details[id];
    if (value === undefined || changed.some((field) => field === id)) continue;
    add(id, constant(id, value, { details, names, language }));
  }
  const named = (id: string | null): string | undefined => id ?? undefined;
  add('device', named(device) && withName(device!, names));
  add('person', named(user) && withName(user!, names));
  add('time', time);
  add('kind', kind);
  return facts;
}

function stated(id: Field, detail: (name: string) => string | undefined, language: Language): string {
  const { strings, formats } = language;
  const words = strings.audit;
  if (id === 'policy') return policyText(policyOf(detail), language);
  const value = detail(id);
  switch (id) {
    case 'limit_bytes':
      return value === undefined ? words.noLimit : formats.bytes(Number(value));
    case 'events':
      return value ?? words.allEvents;
    case 'role':
      return value === undefined ? '–' : (strings.team.roles[value] ?? value);
    default:
      return value ?? '–';
  }
}

/** Returns `null` if everything is kept. */
function policyOf(detail: (name: string) => string | undefined): RetentionPolicy | null {
  const counts = (['keep_all_days', ...RETENTION_PERIODS] as const).map((name) => [name, Number(detail(name) ?? 0)]);
  return counts.every(([, count]) => count === 0) ? null : (Object.fromEntries(counts) as RetentionPolicy);
}

interface Context {
  readonly details: AuditEntry['details'];
  readonly names: KnownNames;
  readonly language: Language;
}

function constant(id: (typeof CONSTANT)[number], value: string, { details, names, language }: Context): string {
  const { strings, formats } = language;
  switch (id) {
    case 'scope':
      return strings.erasure.scopes[value] ?? value;
    case 'member':
      return withName(value, names);
    case 'restore_point':
      return formats.dateTime(value);
    case 'minimum_days':
      return strings.audit.days(value);
    case 'role':
      return strings.team.roles[value] ?? value;
    case 'amount':
      return [value, details['currency']].filter(Boolean).join(' ');
    default:
      return value;
  }
}

/** Ids are what the command line and the export have. */
function withName(id: string, names: KnownNames): string {
  const name = names.get(id);
  return name === undefined ? id : `${name} (${id})`;
}
