// Compiled from the catalogues by `npm run texts`. Do not edit.
import { destination as source } from '../en/destination.ts';

export const destination = (): typeof source => (source);
