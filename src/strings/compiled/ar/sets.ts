// Compiled from the catalogues by `npm run texts`. Do not edit.
import { sets as source } from '../en/sets.ts';

export const sets = (): typeof source => (source);
