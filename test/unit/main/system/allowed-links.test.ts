import { describe, expect, test } from 'vitest';
import type { AppState } from '../../../../src/ipc/state.ts';
import { isLinkAllowed, isWebAddress } from '../../../../src/main/system/allowed-links.ts';
import { PROTECTED } from '../../../app/renderer/states.ts';

const AT_SERVICE: AppState = {
  ...PROTECTED,
  destination: { kind: 'service', location: 'https://backup.example.org/api' },
};

describe('allowed links', () => {
  test.each<[string, AppState | undefined, boolean]>([
    ['https://backup.example.org/', AT_SERVICE, true],
    ['https://backup.example.org/#/security', AT_SERVICE, true],
    ['http://backup.example.org/', AT_SERVICE, false],
    ['https://backup.example.org:8443/', AT_SERVICE, false],
    ['https://anna:word@backup.example.org/', AT_SERVICE, false],
    ['https://backup.example.org.evil.example/', AT_SERVICE, false],
    ['https://backup.example.org/', PROTECTED, false],
    ['https://backup.example.org/', undefined, false],
    ['https://www.apache.org/licenses/LICENSE-2.0', undefined, true],
    ['https://www.apache.org/', undefined, false],
    ['file:///etc/passwd', AT_SERVICE, false],
    ['javascript:alert(1)', AT_SERVICE, false],
    ['smb://backup.example.org/', AT_SERVICE, false],
    ['', AT_SERVICE, false],
  ])('to %s', (url, state, isAllowed) => {
    expect(isLinkAllowed(url, state)).toBe(isAllowed);
  });

  test('are web addresses only', () => {
    expect(['https://a.example', 'http://127.0.0.1:9'].every(isWebAddress)).toBe(true);
    expect(['file:///', 'app://holdfast/', 'vbscript:x', 'data:text/html,x', 'x'].some(isWebAddress)).toBe(false);
  });
});
