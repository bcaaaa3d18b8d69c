// Compiled from the catalogues by `npm run texts`. Do not edit.
import { shell as source } from '../en/shell.ts';

export const shell = (): typeof source => (source);
