import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { campaignFolderName, removeLeftOver } from './left-over.ts';

/** Of a process that has ended, and whose id nobody else has yet. */
const ended = `holdfast-campaign-${spawnSync('true').pid}`;

let parent: string;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'holdfast-left-'));
});
afterEach(() => rmSync(parent, { recursive: true, force: true }));

describe('the folders of campaigns', () => {
  test('are removed when their process is gone, and nothing else is', () => {
    for (const name of [ended, campaignFolderName(), 'holdfast-campaign-x', 'mine']) {
      mkdirSync(join(parent, name, 'work place'), { recursive: true });
      writeFileSync(join(parent, name, 'work place', 'file'), 'content');
    }
    expect(removeLeftOver(parent)).toEqual([join(parent, ended)]);
    expect(readdirSync(parent).toSorted()).toEqual([campaignFolderName(), 'holdfast-campaign-x', 'mine'].toSorted());
  });

  test('are removed with what is mounted in them', ({ skip }) => {
    const disk = join(parent, ended, 'work place', 'disk');
    mkdirSync(disk, { recursive: true });
    const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'holdfast-test', disk], { stdio: 'ignore' });
    if (status !== 0) skip('this user may not mount');
    onTestFinished(() => void spawnSync('umount', [disk], { stdio: 'ignore' }));
    writeFileSync(join(disk, 'file'), 'content');
    removeLeftOver(parent);
    expect(existsSync(join(parent, ended))).toBe(false);
    expect(spawnSync('findmnt', ['-n', disk]).status).not.toBe(0);
  });
});
