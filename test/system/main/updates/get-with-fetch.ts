import type { HttpGet } from '../../../../src/main/updates/http-get.ts';

/** Requests with `fetch`, as Node has no network stack of Chromium. */
export const getWithFetch: HttpGet = (address, signal) => fetch(address, { redirect: 'error', signal });
