import { describe, expectTypeOf, test } from 'vitest';
import type * as engine from '../../../../src/schedule/decision.ts';
import type * as ipc from '../../../../src/ipc/state.ts';

// The type checker checks these; running them checks nothing.
describe('the schemas of the published state', () => {
  test('describe exactly the decisions of the engine', () => {
    expectTypeOf<engine.Decision>().toExtend<ipc.Decision>();
    expectTypeOf<ipc.Decision>().toExtend<engine.Decision>();
    expectTypeOf<engine.WaitReason>().toExtend<ipc.WaitReason>();
    expectTypeOf<ipc.WaitReason>().toExtend<engine.WaitReason>();
    expectTypeOf<engine.LastMoment>().toExtend<ipc.LastMoment>();
    expectTypeOf<ipc.LastMoment>().toExtend<engine.LastMoment>();
    expectTypeOf<engine.Trigger>().toEqualTypeOf<ipc.Trigger>();
    expectTypeOf<engine.Outcome>().toEqualTypeOf<ipc.Outcome>();
  });
});
