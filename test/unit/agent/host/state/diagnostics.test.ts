import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { prepareHome } from '../../../../../src/agent/home/home.ts';
import { CatalogAccess } from '../../../../../src/agent/host/activity/catalog-access.ts';
import { diagnosticsText } from '../../../../../src/agent/host/state/diagnostics.ts';
import type { Failure } from '../../../../../src/base/errors/failure.ts';
import { PROTECTED } from '../../../../app/renderer/states.ts';
import { HandlerFixture } from '../handler-fixture.ts';

let fixture: HandlerFixture;
let catalog: CatalogAccess;
beforeEach(() => {
  fixture = new HandlerFixture();
  prepareHome(fixture.home);
  catalog = new CatalogAccess(fixture.home, fixture.parts.clock);
});
afterEach(() => {
  catalog[Symbol.dispose]();
  fixture.close();
});

/** Returns what the diagnostics contain of a failure. */
function shown(failure: Failure): unknown {
  const { home, parts } = fixture;
  const state = { ...PROTECTED, damage: failure };
  const text = diagnosticsText({ home, clock: parts.clock, keyStore: parts.keyStore, catalog, state });
  return (JSON.parse(text) as { damage: unknown }).damage;
}

describe('a failure in the diagnostics', () => {
  test('has its code, and details that name nothing', () => {
    const details = { target: '/home/ann/restored', reason: 'EACCES' };
    expect(shown({ code: 'target_unwritable', details })).toEqual({ code: 'target_unwritable', reason: 'EACCES' });
  });

  test.each(['/home/ann/diary.txt', String.raw`C:\Users\Ann`, 'https://nas.example/holdfast'])(
    'has no detail that contains %s',
    (reason) => {
      const details = { target: 'x', reason, problem: reason };
      expect(shown({ code: 'target_unwritable', details })).toEqual({ code: 'target_unwritable' });
    },
  );

  test('has no detail that may be a name', () => {
    const details = { set: 'Salaries', known: ['Diary'], count: 3 } as Extract<
      Failure,
      { code: 'set_unknown' }
    >['details'];
    expect(shown({ code: 'set_unknown', details })).toEqual({ code: 'set_unknown', count: 3 });
  });
});
