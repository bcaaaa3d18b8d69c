import { CombinedDownloader } from '../../../read/destinations/combined-downloader.ts';
import type { OtherDestination } from '../../../read/destinations/member.ts';
import { readChunksOf } from '../../../read/destinations/restore-sessions.ts';
import type { RestoreSource } from '../../../model/restore-request.ts';
import type { TransferLimits } from '../../../remote/http/rate-limited-http.ts';
import type { BlobDownloader } from '../../../remote/ports.ts';
import { partsAt, type AgentParts } from '../../context/agent-parts.ts';
import { openContext, withContext, type ContextOptions } from '../../context/open-context.ts';
import type { OperationContext } from '../../context/operation-context.ts';
import { sourceOf } from '../../context/set-source.ts';
import { listForWatch } from '../../context/watch-points.ts';
import { requireStoredSettings } from '../../home/settings.ts';
import type { DestinationEntry } from '../../home/destination-entry.ts';
import {
  chooseDestination,
  deviceAt,
  type ChosenDestination,
  type ReadingNotes,
  type ReadRequest,
} from './choose-destination.ts';

/** An opened destination to read a set from, with the chunks of the others behind it. */
export interface ReadingContext extends OperationContext {
  readonly source: RestoreSource;
  readonly downloader: BlobDownloader;
  readonly notes: ReadingNotes;
}

/**
 * Opens the destination that a set is read from, and does the work. The others are opened when chunks are missing.
 *
 * @throws HoldfastError `set_unknown`, and what `chooseDestination`, `withContext` and `work` throw
 */
export async function withReading<Result>(
  parts: AgentParts,
  request: ReadRequest,
  options: ContextOptions,
  work: (context: ReadingContext) => Promise<Result>,
  signal?: AbortSignal,
): Promise<Result> {
  const chosen = await chooseDestination(parts, request, signal);
  const { id } = chosen.entry;
  return await withContext(partsAt(parts, id), optionsAt(chosen, options), async (context) => {
    await using opened = new AsyncDisposableStack();
    return await work(await readingOf({ parts, request, options, chosen, opened }, context, signal));
  });
}

/** Limits apply to services only. If no destination is one, opening refuses them. */
function optionsAt({ entry, nearer, others }: ChosenDestination, options: ContextOptions): ContextOptions {
  const { limits, ...rest } = options;
  const isUseless = ![entry, ...nearer, ...others].some(isService);
  return limits && (isService(entry) || isUseless) ? { ...rest, limits } : rest;
}

function isService({ destination }: DestinationEntry): boolean {
  return destination.kind === 'service';
}

/** Opens the same for longer than a call. @throws as `withReading` */
export async function openReading(
  parts: AgentParts,
  request: ReadRequest,
  signal?: AbortSignal,
): Promise<ReadingContext & AsyncDisposable> {
  const chosen = await chooseDestination(parts, request, signal);
  await using resources = new AsyncDisposableStack();
  const context = resources.use(await openContext(partsAt(parts, chosen.entry.id), {}));
  const opened = resources.use(new AsyncDisposableStack());
  try {
    const reading = await readingOf({ parts, request, options: {}, chosen, opened }, context, signal);
    const all = resources.move();
    return { ...reading, [Symbol.asyncDispose]: () => all.disposeAsync() };
  } catch (error) {
    throw context.access.explain(error);
  }
}

interface Reading {
  readonly parts: AgentParts;
  readonly request: ReadRequest;
  readonly options: ContextOptions;
  readonly chosen: ChosenDestination;
  /** Closes the other destinations at the end of the operation. */
  readonly opened: AsyncDisposableStack;
}

async function readingOf(
  { parts, request, options, chosen, opened }: Reading,
  context: OperationContext,
  signal: AbortSignal | undefined,
): Promise<ReadingContext> {
  const { entry, nearer, others, notes } = chosen;
  const stored = requireStoredSettings(parts.home);
  const { set, device, at } = request;
  // Also this computer's device at another destination, which a recorded restore may name.
  const reference = { set, device: deviceAt(stored, entry, device) };
  const source = { ...(await sourceOf(context, reference, signal)), at };
  await listForWatch(context, source, signal);
  const { downloader: first } = context.access;
  if (nearer.length + others.length === 0) return { ...context, source, downloader: first, notes };
  const otherOf = (other: DestinationEntry): OtherDestination =>
    openable(
      partsAt(parts, other.id),
      other,
      { ...source, deviceId: deviceAt(stored, other, device) },
      { opened, ...options },
    );
  const downloader = new CombinedDownloader({
    first: { name: entry.name, downloader: first },
    nearer: nearer.map(otherOf),
    others: others.map(otherOf),
    clock: parts.clock,
  });
  return { ...context, source, downloader, notes };
}

function openable(
  parts: AgentParts,
  { name, destination }: DestinationEntry,
  source: RestoreSource,
  { opened, limits }: { readonly opened: AsyncDisposableStack; readonly limits?: TransferLimits },
): OtherDestination {
  return {
    name,
    open: async () => {
      const context = await openContext(parts, limits && destination.kind === 'service' ? { limits } : {});
      if (opened.disposed) {
        await context[Symbol.asyncDispose]();
        throw new Error('opened too late');
      }
      opened.use(context);
      const { service, downloader } = context.access;
      return readChunksOf(source, { service, downloader });
    },
  };
}
