import { expect, test } from 'vitest';
import { KeychainAvailability } from '../../../../../src/agent/host/account/keychain-availability.ts';
import { HoldfastError } from '../../../../../src/base/errors/errors.ts';

const MISSING_FRESH_MS = 5_000;
const FRESH_MS = 60_000;

/** A keychain that can be taken away, and the number of its checks. */
function fixture() {
  const state = { isThere: true, checks: 0, now: 0 };
  const get = async (): Promise<undefined> => {
    state.checks += 1;
    if (!state.isThere) throw new HoldfastError('keychain_unavailable', { problem: 'no-answer' }, { retryable: true });
  };
  return { state, availability: new KeychainAvailability({ get }, () => state.now) };
}

test('a keychain that answered is not checked again for a minute', async () => {
  const { state, availability } = fixture();
  expect(await availability.isAvailable()).toBe(true);
  state.now = FRESH_MS - 1;
  expect(await availability.isAvailable()).toBe(true);
  expect(state.checks).toBe(1);
  state.now = FRESH_MS;
  state.isThere = false;
  // The last result is returned at once, and the check runs in the background.
  expect(await availability.isAvailable()).toBe(true);
  expect(state.checks).toBe(2);
  await expect.poll(() => availability.isAvailable()).toBe(false);
});

test('a keychain that did not answer is checked again after five seconds', async () => {
  const { state, availability } = fixture();
  state.isThere = false;
  expect(await availability.isAvailable()).toBe(false);
  state.isThere = true;
  state.now = MISSING_FRESH_MS - 1;
  expect(await availability.isAvailable()).toBe(false);
  expect(state.checks).toBe(1);
  state.now = MISSING_FRESH_MS;
  expect(await availability.isAvailable()).toBe(false);
  expect(state.checks).toBe(2);
  await expect.poll(() => availability.isAvailable()).toBe(true);
});
