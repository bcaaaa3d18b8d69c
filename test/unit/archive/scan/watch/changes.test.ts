import { expect, test } from 'vitest';
import { ChangeCollection } from '../../../../../src/archive/scan/watch/changes.ts';

test('collects each folder once, with the times of the first and the last change', () => {
  const changes = new ChangeCollection();
  expect(changes.take()).toBeUndefined();
  changes.add('/a', 1);
  changes.add('/b', 2);
  changes.add('/a', 3);
  expect(changes.pending()).toEqual({ firstAt: 1, lastAt: 3, directories: ['/a', '/b'] });
  expect(changes.take()).toEqual({ firstAt: 1, lastAt: 3, directories: ['/a', '/b'] });
  expect(changes.pending()).toBeUndefined();
  changes.add('/c', 4);
  expect(changes.take()).toEqual({ firstAt: 4, lastAt: 4, directories: ['/c'] });
});

test('reports `undefined` for too many folders until they are taken', () => {
  const changes = new ChangeCollection();
  for (let index = 0; index < 10_000; index += 1) changes.add(`/${index}`, index);
  expect(changes.pending()?.directories).toHaveLength(10_000);
  changes.add('/one more', 10_000);
  changes.add('/and another', 10_001);
  expect(changes.take()).toEqual({ firstAt: 0, lastAt: 10_001, directories: undefined });
  changes.add('/a', 1);
  expect(changes.take()?.directories).toEqual(['/a']);
});
