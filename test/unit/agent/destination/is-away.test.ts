import { expect, test } from 'vitest';
import { isAway } from '../../../../src/agent/destination/is-away.ts';
import { HoldfastError } from '../../../../src/base/errors/errors.ts';

const directory = '/media/anna/disk';

// What is damaged, or another's, must be told as that: lists from this computer would hide it.
test.each([
  [true, new HoldfastError('destination_missing', { directory })],
  [true, new HoldfastError('destination_missing', { directory, problem: 'rclone' })],
  [false, new HoldfastError('destination_missing', { directory, problem: 'damaged' })],
  [false, new HoldfastError('destination_missing', { directory, problem: 'exchanged' })],
  [false, new HoldfastError('destination_missing', { directory, problem: 'undescribed' })],
  [true, new HoldfastError('service_unreachable', { address: 'sftp://nas/', reason: 'refused' })],
  [false, new HoldfastError('service_unreachable', { address: 'sftp://nas/', reason: 'host-key' })],
  [false, new HoldfastError('signed_out', {})],
  [false, new Error('a bug')],
])('a destination is away: %s for %s', (expected, error) => {
  expect(isAway(error)).toBe(expected);
});
