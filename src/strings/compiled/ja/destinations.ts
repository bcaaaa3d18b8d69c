// Compiled from the catalogues by `npm run texts`. Do not edit.
import { destinations as source } from '../en/destinations.ts';

export const destinations = (): typeof source => (source);
