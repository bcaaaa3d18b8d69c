import { z } from 'zod';
import { retentionPolicy } from '../../protocol/retention.ts';

const LONGEST_TEXT = 4096;
const MOST_PACKS = 1_000_000;

const anyBytes = z.custom<Uint8Array>((value) => value instanceof Uint8Array);
const bytes = (length: number) => anyBytes.refine((value) => value.length === length);
const digest = bytes(32);
const pointId = bytes(16);
const alarmId = bytes(16);
const text = z.string().max(LONGEST_TEXT);
const count = z.int().nonnegative();
/** The last millisecond of the year 9999: later times have no date in ISO 8601. */
export const LATEST_TIME = 253_402_300_799_999;
const time = z.int().min(-LATEST_TIME).max(LATEST_TIME);
const device = z.string().regex(/^[0-9a-f]{32}$/);
const packs = z.array(digest).max(MOST_PACKS);

/** The facts of segments and checkpoints, see docs/repository.md. */
const fact = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('device'), device, time, name: text, os: text, agent: text, key: bytes(32).optional() }),
  z.object({ kind: z.literal('name'), device, name: text, time }),
  z.object({ kind: z.literal('pack'), pack: digest, bytes: count, table: anyBytes }),
  z.object({
    kind: z.literal('point'),
    id: pointId,
    device,
    set: text,
    time,
    /** By the writer's clock, where `time` follows a restore point of a later time. */
    completed: time.optional(),
    tree: digest,
    envelope: digest.nullable(),
    files: count,
    bytes: count,
    stored: count,
  }),
  z.object({ kind: z.literal('removed'), points: z.array(pointId), trees: z.array(digest).optional() }),
  z.object({ kind: z.literal('pin'), point: pointId, time }),
  z.object({ kind: z.literal('unpin'), point: pointId, time }),
  z.object({ kind: z.literal('policy'), device, set: text, policy: retentionPolicy.nullable(), time }),
  z.object({
    kind: z.literal('minimum'),
    device: device.nullable(),
    set: text.nullable(),
    days: z.int().min(0).max(36_500),
  }),
  z.object({ kind: z.literal('alarm'), id: alarmId, device, set: text, time, reasons: z.array(text).max(100) }),
  z.object({ kind: z.literal('release'), alarms: z.array(alarmId), time }),
  z.object({ kind: z.literal('condemned'), packs, time }),
  z.object({ kind: z.literal('deleted'), packs }),
  z.object({ kind: z.literal('lost'), packs, time }),
  z.object({ kind: z.literal('found'), packs, time }),
  z.object({ kind: z.literal('withdrawn'), points: z.array(pointId) }),
  z.object({ kind: z.literal('retired'), device }),
  z.object({ kind: z.literal('accepted'), files: z.array(text) }),
]);
export type Fact = z.infer<typeof fact>;
export type FactOf<Kind extends Fact['kind']> = Extract<Fact, { kind: Kind }>;

const KINDS: ReadonlySet<string> = new Set(fact.options.map((option) => option.shape.kind.value));

/** Parses one decoded fact. Returns `'unknown'` for a kind of a newer program, and `undefined` for a malformed one. */
export function parseFact(value: unknown): Fact | 'unknown' | undefined {
  const parsed = fact.safeParse(value);
  if (parsed.success) return parsed.data;
  const kind = typeof value === 'object' && value !== null && 'kind' in value ? value.kind : undefined;
  return typeof kind === 'string' && !KINDS.has(kind) ? 'unknown' : undefined;
}
