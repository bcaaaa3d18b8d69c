// Compiled from the catalogues by `npm run texts`. Do not edit.
import { home as source } from '../en/home.ts';

export const home = (): typeof source => (source);
