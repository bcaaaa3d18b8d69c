import { join } from 'node:path';
import { builtApp } from '../../../../app/built-app.ts';
import { PortalService } from '../../../../app/portal/portal-service.ts';
import type { Stage } from '../stage.ts';
import type { Walk } from '../walk.ts';

/** Orca's key for reading by itself, or leaving the arrow keys to the control. */
const FOCUS_MODE = 'Insert+a';
const ANNA = { email: 'anna@example.org', password: 'correct horse battery' };
/** More than the step of the secret has. */
const MOST_LINES = 20;

/** The pages of the service: the first sign-in, devices and one of them, revoking it, an invitation, the audit log, and a sign-in. */
export async function portal(stage: Stage): Promise<void> {
  const { walk } = stage;
  const service = await PortalService.open(join(await builtApp(), 'dist/portal'));
  try {
    walk.part('The portal: setting it up');
    const token = (await service.setUpToken())!;
    const opened = await walk.wait(() => stage.openBrowser(`${service.url}/#/set-up?token=${token}`), 6_000);
    walk.expect(opened, /region Set up this service/);
    const secret = await setUp(walk, service);
    await service.fill();
    await devices(walk);
    await team(walk);
    await section(walk, 'Audit log');
    // Orca has gone to the lists that have appeared, and keeps the arrow keys for them.
    await walk.press(FOCUS_MODE);
    await walk.to(/Device revoked/, 'Down');
    await signIn(walk, service, secret);
  } finally {
    await service.close();
  }
}

/** @returns the secret of the second factor, as it was heard */
async function setUp(walk: Walk, service: PortalService): Promise<string> {
  await walk.to(/New password/);
  await walk.type(ANNA.password);
  await walk.to(/E-mail address entry/, 'shift+Tab');
  await walk.type(ANNA.email);
  walk.expect(await walk.press('Return'), /Second factor region/);
  let secret = '';
  for (let line = 0; line < MOST_LINES && secret.length < 32; line += 1) {
    const parts = (await walk.read('Down')).match(/\b[A-Z2-7]{4}\b/g) ?? [];
    secret += parts.join('');
  }
  await walk.to(/Code from your authenticator app/);
  await walk.type('000000');
  walk.expect(await walk.press('Return'), /The code is wrong/);
  await walk.press('ctrl+a');
  await walk.type(service.code(secret));
  walk.expect(await walk.press('Return'), /Keep your recovery codes region/);
  await walk.activate(/^I have kept them/, /main content Overview/);
  return secret;
}

async function devices(walk: Walk): Promise<void> {
  walk.part('The portal: devices');
  await section(walk, 'Devices');
  const page = await walk.activate(/^Reception link/);
  walk.expect(page + (await walk.wait()), /main content Reception/);
  walk.expect(await walk.activate(/^All devices link/), /main content Devices/);
  await walk.wait();
  walk.expect(await walk.activate(/Revoke Reception push button/), /Revoke Reception\? It can no longer sign in/);
  await walk.press('Escape');
  await walk.press('Return');
  const revoked = await walk.activate(/^Revoke push button/);
  walk.expect(revoked + (await walk.wait()), /main content Devices/, /\bDone\b/);
  await walk.to(/Search entry/);
}

async function team(walk: Walk): Promise<void> {
  walk.part('The portal: an invitation');
  await section(walk, 'Team');
  await walk.activate(/Invite push button/, /Invite somebody dialog/);
  await walk.type('bob@example.org');
  await walk.to(/Role combo box/);
  const invited = await walk.activate(/^Invite push button/);
  walk.expect(invited, /Send this link to bob@example\.org/);
  await walk.activate(/^Copy push button/, /Copied/);
  const closed = await walk.activate(/^Done push button/);
  walk.expect(closed + (await walk.wait()), /main content Team/);
  await walk.activate(/Withdraw the invitation of bob@example\.org/, /Its link no longer works then/);
  const withdrawn = await walk.activate(/^Withdraw push button/);
  walk.expect(withdrawn + (await walk.wait()), /main content Team/, /\bDone\b/);
}

async function section(walk: Walk, name: string): Promise<void> {
  await walk.to(new RegExp(`^${name} link`));
  const opened = await walk.press('Return');
  walk.expect(opened + (await walk.wait()), new RegExp(`main content ${name}`));
}

async function signIn(walk: Walk, service: PortalService, secret: string): Promise<void> {
  walk.part('The portal: signing in');
  await walk.activate(/Sign out push button/, /region Sign in/);
  await walk.type(ANNA.email);
  await walk.to(/Password password text/);
  await walk.type(ANNA.password);
  walk.expect(await walk.press('Return'), /Code from your authenticator app/);
  await walk.type(service.code(secret));
  const entered = await walk.press('Return');
  walk.expect(entered + (await walk.wait()), /main content Audit log/);
}
