// Compiled from the catalogues by `npm run texts`. Do not edit.
import { destinationChoice as source } from '../en/destination-choice.ts';

export const destinationChoice = (): typeof source => (source);
