// Compiled from the catalogues by `npm run texts`. Do not edit.
import { lock as source } from '../en/lock.ts';

export const lock = (): typeof source => (source);
