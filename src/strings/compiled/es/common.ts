// Compiled from the catalogues by `npm run texts`. Do not edit.
import { common as source } from '../en/common.ts';

export const common = (): typeof source => (source);
