import { CAMPAIGN_FOLDER, FAST_PARENT } from './fast-folder-parent.ts';

/** The parent of temporary folders: in memory if there is room, so that a sync costs nothing. Not for tests of a file system. */
export const FAST_FOLDER = process.env[CAMPAIGN_FOLDER] ?? FAST_PARENT;
