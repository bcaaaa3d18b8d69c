import { describe, expect, test } from 'vitest';
import {
  parseRcloneAddress,
  parseSftpAddress,
  parseWebdavAddress,
} from '../../../../../src/agent/destination/store/store-address.ts';
import { sftpAddress } from '../../../../../src/storage/sftp/sftp-config.ts';

describe('the address of an SSH server', () => {
  test.each([
    ['sftp://anna@nas.local/backups', { host: 'nas.local', user: 'anna', path: '/backups' }],
    ['sftp://anna@nas.local:2222/a/b/', { host: 'nas.local', port: 2222, user: 'anna', path: '/a/b' }],
    ['sftp://anna@nas.local:22/a', { host: 'nas.local', user: 'anna', path: '/a' }],
    ['sftp://nas.local/~/a', { host: 'nas.local', path: 'a' }],
    ['sftp://nas.local/~', { host: 'nas.local', path: '' }],
    ['sftp://anna@[::1]/a%20b', { host: '::1', user: 'anna', path: '/a b' }],
    [' SFTP://an%40na@nas/ ', { host: 'nas', user: 'an@na', path: '/' }],
  ])('%s', (text, place) => {
    expect(parseSftpAddress(text)).toEqual(place);
  });

  test.each([
    'sftp://anna@nas.local',
    'sftp:///a',
    'sftp://nas:0/a',
    'sftp://nas/a?b',
    'sftp://nas/%ff',
    'ssh://nas/a',
    'nas',
  ])('%s is refused', (address) => {
    expect(() => parseSftpAddress(address)).toThrow(
      expect.objectContaining({ details: { problem: 'sftp-address', address } }),
    );
  });

  test('does not quote a password', () => {
    for (const parse of [parseSftpAddress, parseWebdavAddress]) {
      const scheme = parse === parseSftpAddress ? 'sftp' : 'davs';
      expect(() => parse(`${scheme}://anna:sec@ret@nas/a`)).toThrow(
        expect.objectContaining({ details: expect.objectContaining({ address: `${scheme}://anna@nas/a` }) }),
      );
    }
  });

  test.each(['sftp://anna@nas.local:2222/a', 'sftp://anna@[::1]/a', 'sftp://anna@nas/~/a'])(
    '%s is shown as it was entered',
    (text) => {
      const { user = '', ...place } = parseSftpAddress(text);
      expect(sftpAddress({ user, ...place })).toBe(text);
    },
  );
});

describe('the address of a WebDAV server', () => {
  test.each([
    ['davs://anna@cloud.example/dav/', { url: 'https://cloud.example/dav/', user: 'anna' }],
    ['dav://127.0.0.1:8080/a b', { url: 'http://127.0.0.1:8080/a%20b/' }],
    ['https://cloud.example', { url: 'https://cloud.example/' }],
    ['HTTP://cloud.example//', { url: 'http://cloud.example/' }],
  ])('%s', (text, place) => {
    expect(parseWebdavAddress(text)).toEqual(place);
  });

  test.each([
    'cloud.example/dav',
    'ftp://cloud.example',
    'davs://',
    'davs://cloud.example/?a',
    'davs://cloud.example/#a',
  ])('%s is refused', (address) => {
    expect(() => parseWebdavAddress(address)).toThrow(
      expect.objectContaining({ details: { problem: 'webdav-address', address } }),
    );
  });
});

describe('a remote of rclone', () => {
  test.each([
    ['rclone:drive:backups', 'drive:backups'],
    ['drive:', 'drive:'],
    ['rclone::local:/a', ':local:/a'],
  ])('%s', (text, remote) => {
    expect(parseRcloneAddress(text)).toEqual({ remote });
  });

  test.each(['rclone:', 'rclone:drive', 'rclone::', ''])('%j is refused', (address) => {
    expect(() => parseRcloneAddress(address)).toThrow(
      expect.objectContaining({ details: { problem: 'rclone-address', address } }),
    );
  });
});
