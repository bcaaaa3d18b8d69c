// Compiled from the catalogues by `npm run texts`. Do not edit.
import { activity as source } from '../en/activity.ts';

export const activity = (): typeof source => (source);
