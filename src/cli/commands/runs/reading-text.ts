import type { ReadSource } from '../../../remote/ports.ts';
import type { ReadingNotes } from '../../../agent/operations/restore/choose-destination.ts';
import { countText, printable } from '../../text.ts';

/** What a report says about the destinations that were read. */
export type Reading = ReadingNotes & { readonly sources?: readonly ReadSource[] };

/** The fields of the JSON; none with only one destination. */
export function readingJson({ destination, olderAt, newerAt, unreadableAt, incompleteAt, sources }: Reading): object {
  const dated = (at: ReadingNotes['newerAt']): object | undefined =>
    at && { destination: at.destination, restore_point: at.restorePoint };
  return {
    ...(destination === undefined ? {} : { destination }),
    ...(olderAt ? { older_at: dated(olderAt) } : {}),
    ...(newerAt ? { newer_at: dated(newerAt) } : {}),
    ...(unreadableAt === undefined ? {} : { unreadable_at: unreadableAt }),
    ...(incompleteAt ? { incomplete_at: dated(incompleteAt) } : {}),
    ...(sources ? { sources } : {}),
  };
}

export function readingLines({
  destination = '',
  olderAt,
  newerAt,
  unreadableAt,
  incompleteAt,
  sources,
}: Reading): string[] {
  const name = printable(destination);
  return [
    ...(olderAt
      ? [
          `This is the restore point of ${name}, since that of ${printable(olderAt.destination)} is older (${olderAt.restorePoint}).`,
        ]
      : []),
    ...(newerAt
      ? [
          `${printable(newerAt.destination)} is not at hand and has a newer one (${newerAt.restorePoint}). This one is of ${name}.`,
        ]
      : []),
    ...(unreadableAt === undefined
      ? []
      : [`The restore point of ${printable(unreadableAt)} cannot be read. This one is of ${name}.`]),
    ...(incompleteAt
      ? [
          `That of ${printable(incompleteAt.destination)} (${incompleteAt.restorePoint}) is without what could not be read when it was made. This one is of ${name}.`,
        ]
      : []),
    ...(sources ? [`Read from ${listed(sources.map(sourceText))}.`] : []),
  ];
}

/** Warnings of a verification, whose destination should have delivered everything itself. */
export function readElsewhere({ destination, olderAt, unreadableAt, sources = [] }: Reading): string[] {
  const unreadable =
    unreadableAt === undefined ? [] : [`the restore point of ${printable(unreadableAt)} cannot be read`];
  if (destination === undefined || olderAt) return unreadable;
  const elsewhere = sources
    .filter((source) => source.destination !== destination)
    .map((source) => {
      const chunks = countText(source.chunks, 'chunk');
      return `not delivered in order by ${printable(destination)}, but by ${printable(source.destination)}: ${chunks}`;
    });
  return [...unreadable, ...elsewhere];
}

function sourceText({ destination, chunks }: ReadSource): string {
  return `${printable(destination)} (${countText(chunks, 'chunk')})`;
}

function listed(texts: readonly string[]): string {
  const last = texts.at(-1) ?? '';
  return texts.length < 2 ? last : `${texts.slice(0, -1).join(', ')} and ${last}`;
}
