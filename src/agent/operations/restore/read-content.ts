import { makePrivateFolderSync } from '../../../os/filesystem/make-folder.ts';
import { readFileContent, type FileContent } from '../../../restore/read-file.ts';
import type { AgentParts } from '../../context/agent-parts.ts';
import type { OperationRun } from '../../context/operation-run.ts';
import { ownRoots } from '../../home/settings.ts';
import { givenEntryPath } from '../../input/entry-path.ts';
import type { ReadRequest } from './choose-destination.ts';
import { withReading } from './reading-context.ts';

export interface ContentRequest extends ReadRequest {
  readonly path: string;
  /** Bytes; a larger file is not read. */
  readonly most: number;
}

/** Reads a file of a restore point into memory. @throws HoldfastError `set_unknown`, and what `readFileContent` throws */
export async function readContent(
  parts: AgentParts,
  request: ContentRequest,
  { signal }: OperationRun = {},
): Promise<FileContent> {
  const { home, clock } = parts;
  const path = givenEntryPath(request.path, ownRoots(home, request));
  makePrivateFolderSync(home.scratchFolder);
  return withReading(
    parts,
    request,
    {},
    ({ access: { service }, catalog, keys, source, downloader }) =>
      readFileContent(
        { source, path, most: request.most },
        { service, downloader, catalog, keys, clock, scratch: home.scratchFolder },
        signal,
      ),
    signal,
  );
}
