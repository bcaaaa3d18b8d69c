// Compiled from the catalogues by `npm run texts`. Do not edit.
import { settings as source } from '../en/settings.ts';

export const settings = (): typeof source => (source);
