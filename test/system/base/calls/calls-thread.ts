import { byName, Moved, serveCalls } from '../../../../src/base/calls/serve-calls.ts';
import { parentThreadPort } from '../../../../src/base/calls/thread-port.ts';
import { HoldfastError } from '../../../../src/base/errors/errors.ts';

/** The calls of the thread that calls.test.ts starts. */
export interface TestCalls {
  double(value: number): number;
  slowly(milliseconds: number): number;
  untilAborted(input: undefined): unknown;
  fail(kind: 'holdfast' | 'system' | 'range'): never;
  fill(buffer: Uint8Array<ArrayBuffer>): { readonly bytes: Uint8Array<ArrayBuffer> };
  announce(name: string): void;
  exit(code: number): void;
  close(input: undefined): void;
}

export interface TestEvents {
  readonly named: string;
}

const port = parentThreadPort();
const handle = byName<TestCalls>({
  double: (value) => value * 2,
  slowly: (milliseconds) => new Promise((resolve) => setTimeout(() => resolve(milliseconds), milliseconds)),
  untilAborted: (_input, { signal }) =>
    new Promise((resolve) => signal.addEventListener('abort', () => resolve(signal.reason), { once: true })),
  fail: (kind) => {
    switch (kind) {
      case 'holdfast':
        throw new HoldfastError('home_busy', { pid: 7 }, { retryable: true, cause: () => 'not cloneable' });
      case 'system':
        throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
      case 'range':
        throw new RangeError('out of range');
    }
  },
  fill: (buffer) => {
    const bytes = buffer.fill(7);
    return new Moved({ bytes }, [bytes.buffer]);
  },
  announce: (name): void => emit('named', name),
  exit: (code) => process.exit(code),
  close: () => undefined,
});
const emit = serveCalls<TestEvents>(port, handle, {
  onAnswered: (name) => {
    if (name === 'close') port.close();
  },
});
