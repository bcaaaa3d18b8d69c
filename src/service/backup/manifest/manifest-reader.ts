import { type DeltaInitHead, deltaInitHead } from '../../../protocol/extensions.ts';
import { JsonArrayReader, JsonStreamError } from '../../../protocol/bodies/json-array-stream.ts';
import type { ServiceContext } from '../../context.ts';
import type { Caller } from '../../caller.ts';
import { ServiceProblem } from '../../request/problem.ts';
import type { BackupSession } from '../store/session.ts';
import { recordArrivalsOfDevice } from '../arrivals.ts';
import { backupTarget } from '../backup-target.ts';
import { startedEvent } from '../backup-events.ts';
import type { ByteLease } from '../../request/byte-budget.ts';
import { ChunkListFold, heldBytes } from './manifest-entry.ts';
import { EarlyUploads } from './early-uploads.ts';
import { ManifestIntake } from './manifest-intake.ts';
import { ManifestSpool } from './manifest-spool.ts';
import { withinPersonQuota } from '../person-quota.ts';
import { requireRoom, requireRoomForTree } from '../quota.ts';
import { findWaitingSession } from '../session-access.ts';

interface Receiving {
  readonly session: BackupSession;
  readonly intake: ManifestIntake;
  /** The waiting session that this manifest belongs to. */
  readonly waiting: BackupSession | undefined;
}

/**
 * Converts the body of init to an open session. Its fields may arrive in any order: if the device or the set follow the files, the
 * whole body is written to disk first and read from there.
 */
export class ManifestReader {
  readonly #context: ServiceContext;
  readonly #caller: Caller;
  readonly #memory: ByteLease;
  readonly #disk: ByteLease;
  readonly #reader: JsonArrayReader;
  /** The bytes before the array began. */
  #held: Uint8Array[] | undefined = [];
  #spool: ManifestSpool | undefined;
  #receiving: Receiving | undefined;
  /** The run that the files were compared with. */
  #base: string | undefined;

  constructor(context: ServiceContext, caller: Caller) {
    this.#context = context;
    this.#caller = caller;
    this.#memory = context.manifestMemory.lease(caller.accountId);
    this.#disk = context.manifestSpool.lease(caller.accountId);
    this.#reader = this.#newReader();
  }

  async push(bytes: Uint8Array): Promise<void> {
    const elements = this.#reader.push(bytes);
    await this.#recordActivity();
    if (this.#receiving) await this.#receiving.intake.add(elements);
    else if (this.#spool) await this.#writeSpool(this.#spool, bytes);
    else await this.#decide(bytes, elements);
    this.#memory.release(heldBytes(elements));
  }

  /** Returns, after the last bytes, the session with its totals. */
  async finish(): Promise<BackupSession> {
    const head = deltaInitHead.safeParse(this.#reader.end());
    if (!head.success) {
      const { path, message } = head.error.issues[0]!;
      throw new ServiceProblem('malformed_request', { detail: `${path.join('.')}: ${message}` });
    }
    const { session, intake, waiting } = this.#receiving ?? (await this.#readSpool(head.data));
    // Otherwise the differences from a tree could be mistaken for all of its files.
    if (head.data.base !== this.#base) {
      throw new ServiceProblem('malformed_request', { detail: 'base has to stand before the files' });
    }
    if (head.data.session_id !== waiting?.id) {
      throw new ServiceProblem('malformed_request', { detail: 'session_id has to stand before the files' });
    }
    const totals = await intake.finish();
    const { metadata, clock } = this.#context;
    await requireRoom(this.#context, session.accountId, intake.bytesAwaited);
    // Manifests that arrived at the same time count each other.
    await requireRoomForTree(this.#context, session.accountId, totals.treeBytes);
    await metadata.alarms.recordChanges((waiting ?? session).id, await intake.changes(), clock.now());
    const own = waiting ? [session.number, waiting.number] : [session.number];
    return withinPersonQuota(this.#context, session.setNumber, own, async () => {
      if (!waiting) {
        await metadata.sessions.open(session.number, totals, startedEvent(session), clock.now());
        return { ...session, state: 'open', totals };
      }
      const manifest = { number: session.number, totals, bytesAnnounced: intake.bytesAnnounced };
      const continued = await metadata.sessions.continueWith(waiting.number, manifest);
      if (continued) return continued;
      throw new ServiceProblem('session_closed', { detail: 'the session ended while its manifest came' });
    });
  }

  /** Fails the session after an error. */
  async abandon(): Promise<void> {
    const { metadata, clock } = this.#context;
    if (this.#receiving) await metadata.sessions.fail(this.#receiving.session.number, clock.now(), undefined);
  }

  async close(): Promise<void> {
    this.#memory.release();
    this.#disk.release();
    await this.#spool?.remove();
  }

  #newReader(): JsonArrayReader {
    const fold = (): ChunkListFold => new ChunkListFold((bytes) => this.#memory.reserve(bytes));
    return new JsonArrayReader('files', { key: 'chunks', fold });
  }

  async #writeSpool(spool: ManifestSpool, bytes: Uint8Array): Promise<void> {
    this.#disk.reserve(bytes.length);
    await spool.write(bytes);
  }

  async #decide(bytes: Uint8Array, elements: readonly unknown[]): Promise<void> {
    const { opening } = this.#reader;
    const head = deltaInitHead.safeParse(opening);
    if (head.success) {
      this.#held = undefined;
      const { intake } = await this.#begin(head.data);
      await intake.add(elements);
      return;
    }
    this.#held?.push(bytes.slice());
    if (opening === undefined) return;
    this.#spool = await ManifestSpool.create(this.#context.spoolDirectory);
    for (const piece of this.#held ?? []) await this.#writeSpool(this.#spool, piece);
    this.#held = undefined;
  }

  async #begin(head: DeltaInitHead): Promise<Receiving> {
    const { metadata, clock } = this.#context;
    const target = await backupTarget(this.#context, this.#caller, head);
    const waiting =
      head.session_id === undefined
        ? undefined
        : await findWaitingSession(this.#context, this.#caller, head.session_id, target);
    await recordArrivalsOfDevice(this.#context, target.accountId, target.deviceId);
    const session = await metadata.sessions.begin(target);
    try {
      const early = waiting && new EarlyUploads(metadata.chunks, waiting);
      const intake = await ManifestIntake.start(this.#context, session, head.base, early);
      this.#receiving = { session, intake, waiting };
    } catch (error) {
      await metadata.sessions.fail(session.number, clock.now(), undefined);
      throw error;
    }
    this.#base = head.base;
    return this.#receiving;
  }

  async #recordActivity(): Promise<void> {
    if (!this.#receiving) return;
    const { activity, clock } = this.#context;
    const { session, waiting } = this.#receiving;
    await activity.record(session, clock.now());
    if (waiting) await activity.record(waiting, clock.now());
  }

  async #readSpool(head: DeltaInitHead): Promise<Receiving> {
    const receiving = await this.#begin(head);
    const reader = this.#newReader();
    for await (const bytes of this.#spool?.read() ?? []) {
      const elements = reader.push(bytes);
      await receiving.intake.add(elements);
      this.#memory.release(heldBytes(elements));
    }
    return receiving;
  }
}

/** Converts an error in the manifest's JSON to a problem; returns other errors unchanged. */
export function manifestProblem(error: unknown): unknown {
  if (!(error instanceof JsonStreamError)) return error;
  return new ServiceProblem('malformed_request', { detail: error.message });
}
