// Compiled from the catalogues by `npm run texts`. Do not edit.
import { failures as source } from '../en/failures.ts';

export const failures: typeof source = source;
