import type { AUDIT_FORMATS, AuditEntry, AuditFilter } from '../../protocol/portal/audit.ts';
import type { ServiceContext } from '../context.ts';
import { type AuditNames, type AuditReader, namesOf, scanAudit } from './audit.ts';

type Format = (typeof AUDIT_FORMATS)[number];

/** Entries of one export. */
const MOST = 1_000_000;

const COLUMNS = [
  'id',
  'occurred_at',
  'kind',
  'user_id',
  'user_email',
  'device_id',
  'device_name',
  'address',
  'details',
];

/** Cells that a spreadsheet takes for a formula. */
const FORMULA = /^\s*[=+\-@＝＋－＠|%]|^[\t\r\n]/;

/** What comes before a formula of a cell that begins within a text. */
const FORMULA_INSIDE = /[;\t\r\n]["\s]*(?=[=+\-@＝＋－＠|%])/g;

/** An entry with the names of the present person and device. */
interface ExportedEntry extends AuditEntry {
  readonly user_email: string | null;
  readonly device_name: string | null;
}

/**
 * Yields the entries that match a filter as CSV (RFC 4180) or JSON lines, newest first. If there are more entries than one export
 * has, it ends with one of the kind `export.truncated`.
 *
 * @param requireReader checks the right to read them, again with each page
 * @param most entries of the export
 */
export async function* exportAudit(
  context: ServiceContext,
  requireReader: () => Promise<AuditReader>,
  { format, ...filter }: AuditFilter & { readonly format: Format },
  most = MOST,
): AsyncGenerator<Uint8Array> {
  const by = await requireReader();
  const names = await namesOf(context, by.accountId);
  // Spreadsheets take a file without a byte order mark for one in another encoding.
  if (format === 'csv') yield Buffer.from(`\u{FEFF}${csvLine(COLUMNS)}`);
  let left = most;
  for await (const page of scanAudit(context, by, { ...filter, names })) {
    await requireReader();
    const matching = page.filter(({ isMatch }) => isMatch).map(({ entry }) => withNames(entry, names));
    const shown = matching.slice(0, left);
    if (shown.length > 0) yield Buffer.from(shown.map((entry) => lineOf(entry, format)).join(''));
    left -= shown.length;
    if (shown.length === matching.length) continue;
    yield Buffer.from(lineOf({ ...matching[shown.length]!, ...TRUNCATED }, format));
    return;
  }
}

const TRUNCATED = {
  kind: 'export.truncated',
  user_id: null,
  user_email: null,
  device_id: null,
  device_name: null,
  address: null,
  details: {},
} as const;

function withNames(entry: AuditEntry, { people, devices }: AuditNames): ExportedEntry {
  const { user_id: user, device_id: device } = entry;
  return {
    ...entry,
    user_email: (user === null ? undefined : people.get(user)) ?? null,
    device_name: (device === null ? undefined : devices.get(device)) ?? null,
  };
}

function lineOf(entry: ExportedEntry, format: Format): string {
  if (format === 'jsonl') return `${JSON.stringify(entry)}\n`;
  return csvLine([
    entry.id,
    entry.occurred_at,
    entry.kind,
    entry.user_id,
    entry.user_email,
    entry.device_id,
    entry.device_name,
    entry.address,
    JSON.stringify(entry.details),
  ]);
}

function csvLine(cells: readonly (string | null)[]): string {
  return `${cells.map((cell) => csvCell(cell ?? '')).join(',')}\r\n`;
}

/**
 * Begins a formula with an apostrophe, which makes it a text (OWASP, CSV injection). Spreadsheets of some countries split lines at
 * semicolons, also within the quotes of a cell that is not the first.
 */
function csvCell(text: string): string {
  const plain = (FORMULA.test(text) ? `'${text}` : text).replaceAll(FORMULA_INSIDE, "$&'");
  return `"${plain.replaceAll('"', '""')}"`;
}
