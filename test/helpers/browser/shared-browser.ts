import type { Browser } from 'playwright';
import { sharedResource } from '../shared/shared-resource.ts';
import { playwright } from './playwright.ts';

/** Connects to the run's Chromium. Closing the returned browser closes its contexts and ends only the connection. */
export async function connectToBrowser(): Promise<Browser> {
  return playwright.connect(await sharedResource('browser'));
}
