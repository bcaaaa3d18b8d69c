/**
 * The findings of the audit of 2026-11-22, as docs/promises.md numbers them, and the entries that take their mends out. Each test that is
 * named there is one that such an entry has to fail.
 */
export const FINDINGS: readonly { readonly finding: number; readonly mutants: readonly [string, ...string[]] }[] = [
  {
    finding: 1,
    mutants: [
      'a part of a set is restored without its tree',
      'a restore without proof replaces a good file',
      'a restore goes on without a tree although nobody accepted that',
      'a restore without a tree does not name the files that nothing proves',
      'a restore without a tree does not name malformed elements',
    ],
  },
  {
    finding: 2,
    mutants: ['a malformed element of an answer ends the restore', 'a name that does not open ends the restore'],
  },
  {
    finding: 3,
    mutants: [
      'the list of a file is read to its end whatever it has',
      'the chunks of a manifest take any memory',
      'a compressed body may become any size',
      'a manifest takes any part of the disk',
      'an identifier may have any length',
      'a body may be nested to any depth',
      'an element of a body may have any length',
      'the list of an element may have any length',
    ],
  },
  {
    finding: 4,
    mutants: [
      'a run that lost most of its files displaces another one',
      'the last run of a day displaces the first one',
      'a run that lost most files raises no alarm',
      'a run of the own set that this computer did not make is not reported',
      'an earlier tree proves a run that this computer did not make',
    ],
  },
  {
    finding: 5,
    mutants: [
      'an invitation is anybody’s who has its token',
      'a provider’s identity is linked to an account that somebody else may have begun',
      'a provider’s identity is linked by its e-mail address alone',
    ],
  },
  {
    finding: 6,
    mutants: [
      'a newer tree passes for one of an earlier time',
      'an older tree passes for the newest',
      'a tree of a later number may be of an earlier time',
      'a restore point that is missing is not reported',
      'a restore point with another time is not reported',
      'only the newest restore point is expected of a service with a policy',
    ],
  },
  {
    finding: 7,
    mutants: [
      'addresses for uploads need no room',
      'lists of files need no room',
      'packs that arrive together do not count each other',
      'an address of a killed process needs no room',
    ],
  },
  {
    finding: 8,
    mutants: [
      'an access token adds a second factor',
      'a second factor stays fresh for ever',
      'a stolen token changes members',
      'a stolen token removes restore points',
      'a stolen token removes a device',
      'a stolen token changes webhooks',
      'a code confirms twice',
    ],
  },
  {
    finding: 9,
    mutants: ['a process creates files that others may read', 'a database that others may read stays so'],
  },
  {
    finding: 10,
    mutants: ['the app forks the keychain’s process itself', 'a packaged app runs as Node for whoever sets a variable'],
  },
  {
    finding: 11,
    mutants: [
      'whoever knows the id of a device locks it out',
      'a backup relies on whatever is stored under the name of a chunk',
      'a presigned address may be of any kind',
      'a service chooses any header of an upload',
      'an account may have any number of webhooks',
      'a browser may interpret a blob',
      'a page reads the metrics through DNS rebinding',
      'a blob that was gone for a moment stays lost',
      'a clock that was ahead makes all later restore points fall into one day',
    ],
  },
  {
    finding: 12,
    mutants: [
      'a restore without proof replaces a good file',
      'a newer tree passes for one of an earlier time',
      'an older tree passes for the newest',
      'a tree of a later number may be of an earlier time',
      'others may read secrets',
      'a device key removes restore points',
      'whoever knows the id of a device locks it out',
      'the image of the service downloads something else',
      'the last run of a day displaces the first one',
    ],
  },
  {
    finding: 13,
    mutants: [
      'a damaged page of the catalog goes unnoticed',
      'a row of the catalog is not compared with its sum',
      'a block of the catalog is not compared with its sum',
      'a block of the catalog counts in another place',
      'a backup completes although it lacks files that the scan saw',
    ],
  },
  {
    finding: 14,
    mutants: ['a restore point whose ledger is lost does not come back'],
  },
  {
    finding: 15,
    mutants: [
      'a file of a store is replaced by another one of its name',
      'a segment names a pack that is not stored yet',
    ],
  },
  {
    finding: 16,
    mutants: [
      'chunks are deleted although references to others are damaged',
      'chunks are deleted although files of a restore point are lost',
      'versions of files are deleted from a database with a damaged page',
      'chunks are deleted from a database with a damaged page',
      'restore points are removed from a damaged repository',
    ],
  },
  {
    finding: 17,
    mutants: [
      'a backup relies on packs that another computer condemned or deleted meanwhile',
      'a restore point stays whose packs were condemned while it was written',
      'a folder that another computer sets up at the same time is taken for new',
      'the ledger of one computer of a shared folder is read only',
    ],
  },
  {
    finding: 18,
    mutants: [
      'a destination is written to before it is read',
      'a full destination is called one that cannot be written',
      'a home on a failing disk is called a bug',
    ],
  },
  {
    finding: 19,
    mutants: [
      'a damaged database of the home is called a bug',
      'a failing disk is called a bug',
      'a destination that was unplugged is called one that cannot be written',
      'an empty database of a service looks like a new store',
    ],
  },
  {
    finding: 20,
    mutants: [
      'a check of everything covers the newest restore point only',
      'the command that checks everything covers the newest restore point only',
    ],
  },
  {
    finding: 21,
    mutants: [
      'blobs are written below the mount point of a disk that is gone',
      'a marker is written below the mount point of a disk that is gone',
      'a restore fails at its own incomplete files when its journal is lost',
      'the name of a new home is not on disk',
      'times after 2262 come back as those of 1901',
      'a file that never stops growing is never stored',
    ],
  },
];
