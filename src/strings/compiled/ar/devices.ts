// Compiled from the catalogues by `npm run texts`. Do not edit.
import { devices as source } from '../en/devices.ts';

export const devices = (): typeof source => (source);
