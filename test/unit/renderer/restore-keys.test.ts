import { describe, expect, test } from 'vitest';
import { hasModifier, keyCommand } from '../../../src/renderer/features/restore/browse/key-command.ts';

const PLAIN = { altKey: false, ctrlKey: false, metaKey: false, shiftKey: false };
const PLACE = { hasEntry: true, to: undefined, direction: undefined, typed: '' };

describe('a key in the rows of a folder', () => {
  test.each([
    ['ContextMenu', {}, { kind: 'menu' }],
    ['F10', { shiftKey: true }, { kind: 'menu' }],
    ['ArrowUp', { altKey: true }, { kind: 'climb' }],
    ['Backspace', {}, { kind: 'climb' }],
    ['[', {}, { kind: 'older' }],
    [']', {}, { kind: 'newer' }],
    ['a', { ctrlKey: true }, { kind: 'choose-all' }],
    ['A', { metaKey: true, shiftKey: true }, { kind: 'choose-all' }],
    ['c', { metaKey: true }, { kind: 'copy' }],
    ['Enter', {}, { kind: 'open' }],
    [' ', {}, { kind: 'toggle' }],
    ['F10', {}, undefined],
    ['x', {}, undefined],
    ['x', { ctrlKey: true }, undefined],
    ['c', { altKey: true }, undefined],
  ] as const)('%s with %j', (key, modifiers, command) => {
    expect(keyCommand({ ...PLAIN, key, ...modifiers }, PLACE)).toEqual(command);
  });

  test.each([
    [{}, { kind: 'go', to: 5 }],
    [{ shiftKey: true }, { kind: 'extend', to: 5 }],
    [{ ctrlKey: true }, undefined],
    [{ altKey: true }, undefined],
  ])('that moves, with %j', (modifiers, command) => {
    expect(keyCommand({ ...PLAIN, key: 'ArrowDown', ...modifiers }, { ...PLACE, to: 5 })).toEqual(command);
  });

  test.each([
    ['back', { kind: 'older' }],
    ['forward', { kind: 'newer' }],
  ] as const)('that points %s steps through time with Alt', (direction, command) => {
    const place = { ...PLACE, direction, to: 3 };
    expect(keyCommand({ ...PLAIN, key: 'ArrowLeft', altKey: true }, place)).toEqual(command);
    expect(keyCommand({ ...PLAIN, key: 'ArrowLeft' }, place)).toEqual({ kind: 'go', to: 3 });
  });

  test.each([' ', '[', ']', 'Backspace'])('%j belongs to a name that is being typed', (key) => {
    expect(keyCommand({ ...PLAIN, key }, { ...PLACE, typed: 'my' })).toBeUndefined();
  });

  test.each([
    ['Enter', {}],
    [' ', {}],
    ['c', { ctrlKey: true }],
  ])('%j with %j does nothing without an entry', (key, modifiers) => {
    expect(keyCommand({ ...PLAIN, key, ...modifiers }, { ...PLACE, hasEntry: false })).toBeUndefined();
  });

  test('is no letter of a name with Alt, Ctrl or Cmd', () => {
    expect([PLAIN, { ...PLAIN, shiftKey: true }].map((pressed) => hasModifier({ ...pressed, key: 'x' }))).toEqual([
      false,
      false,
    ]);
    for (const modifier of ['altKey', 'ctrlKey', 'metaKey']) {
      expect(hasModifier({ ...PLAIN, key: 'x', [modifier]: true })).toBe(true);
    }
  });
});
