import fc from 'fast-check';
import { expect, test } from 'vitest';
import { packBlobs, unpackBlobs } from '../../src/service/embedded/blob-message.ts';

const blobs = fc.array(
  fc.record({
    hash: fc
      .uint8Array({ minLength: 32, maxLength: 32 })
      .map((digest) => `sha256:${Buffer.from(digest).toString('hex')}`),
    content: fc.uint8Array({ minLength: 1, maxLength: 200 }),
    size: fc.nat(2 ** 22),
    gap: fc.nat(3),
    isShared: fc.boolean(),
  }),
  { maxLength: 20 },
);

test.each(['shared', 'mixed', 'copied'])('blobs arrive unchanged (%s memory)', (kind) =>
  fc.assert(
    fc.property(blobs, (list) => {
      const memory = new SharedArrayBuffer(list.reduce((sum, { content, gap }) => sum + content.length + gap, 0));
      let offset = 0;
      const sent = list.map(({ hash, content, size, gap, isShared }) => {
        if (kind === 'copied' || (kind === 'mixed' && !isShared)) return { hash, bytes: content, size };
        offset += gap + content.length;
        const bytes = new Uint8Array(memory, offset - content.length, content.length);
        bytes.set(content);
        return { hash, bytes, size };
      });
      const message = packBlobs(sent);
      if (kind === 'shared' && list.length > 0) expect(message.memory).toBe(memory);
      const arrived = unpackBlobs(message).map(({ hash, bytes, size }) => ({ hash, size, content: [...bytes] }));
      expect(arrived).toEqual(list.map(({ hash, content, size }) => ({ hash, content: [...content], size })));
    }),
  ),
);
