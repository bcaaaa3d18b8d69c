import { constants } from 'node:fs';

/** Flags to open what should be an ordinary file for reading: a link is not followed, and a pipe is not waited for. Windows has neither flag. */
export const READ_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
