import { mkdirSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { HAS_RCLONE } from '../../helpers/rclone/rclone-configuration.ts';
import { expectObstacleMoved, expectRecovery, newWorkplace, refusedSetup } from './store-journey.ts';

describe.skipIf(!HAS_RCLONE)('backups through rclone (scripts/install-test-tools.sh)', () => {
  test('are restored with only the remote and the phrase', async () => {
    const workplace = newWorkplace();
    mkdirSync(workplace.path('cloud'));
    workplace.environment['RCLONE_CONFIG_DRIVE_TYPE'] = 'local';
    const remote = `drive:${workplace.path('cloud/backups')}`;
    const { cautions } = await expectRecovery(workplace, ['--destination', `rclone:${remote}`]);
    expect(cautions).toEqual(['races', 'power-cut']);
    expect(await workplace.json(['status'])).toMatchObject({ destination: { kind: 'rclone', remote } });
    await expectObstacleMoved(workplace, workplace.path('cloud/backups'));
  });

  test('are refused without the remote, and with an rclone that is too old', async () => {
    const workplace = newWorkplace();
    const where = ['--destination', 'rclone:none:backups'];
    expect(await refusedSetup(workplace, where)).toMatchObject({
      code: 'destination_missing',
      details: { problem: 'rclone' },
    });
    mkdirSync(workplace.path('programs'));
    writeFileSync(workplace.path('programs/rclone'), '#!/bin/sh\necho rclone v1.45\n', { mode: 0o755 });
    workplace.environment['PATH'] = `${workplace.path('programs')}:${process.env['PATH']}`;
    expect(await refusedSetup(workplace, where)).toMatchObject({
      details: { problem: 'rclone-missing', found: 'rclone v1.45' },
    });
  });
});
