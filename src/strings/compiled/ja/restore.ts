// Compiled from the catalogues by `npm run texts`. Do not edit.
import { restore as source } from '../en/restore.ts';

export const restore = (): typeof source => (source);
