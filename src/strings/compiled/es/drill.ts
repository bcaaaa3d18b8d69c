// Compiled from the catalogues by `npm run texts`. Do not edit.
import { drill as source } from '../en/drill.ts';

export const drill = (): typeof source => (source);
