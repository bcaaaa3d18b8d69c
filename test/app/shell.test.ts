import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ELECTRON, ElectronWorld } from './electron-world.ts';

describe.skipIf(!ELECTRON)('the app', () => {
  let world: ElectronWorld;
  beforeAll(async () => {
    world = await ElectronWorld.open();
  });
  afterAll(() => world?.close());
  it('opens', async () => {
    const page = await world.window();
    expect(page.url()).toBe('app://holdfast/index.html');
    expect(await world.ask('shell.abilities')).toMatchObject({ ok: true });
  });
});
