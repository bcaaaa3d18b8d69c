// Compiled from the catalogues by `npm run texts`. Do not edit.
import { updates as source } from '../en/updates.ts';

export const updates = (): typeof source => (source);
