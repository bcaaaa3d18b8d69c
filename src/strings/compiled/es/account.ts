// Compiled from the catalogues by `npm run texts`. Do not edit.
import { account as source } from '../en/account.ts';

export const account = (): typeof source => (source);
