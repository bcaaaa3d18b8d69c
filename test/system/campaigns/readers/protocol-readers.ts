import { JsonArrayReader, JsonStreamError } from '../../../../src/protocol/bodies/json-array-stream.ts';
import { MOST_PACKED_BLOBS, packIndex, readPackIndex } from '../../../../src/protocol/bodies/blob-pack.ts';
import { formatDeviceSignature, parseDeviceSignature } from '../../../../src/protocol/auth.ts';
import { isEntryPath } from '../../../../src/protocol/path.ts';
import { restoreElementsOf, type RestoreElements } from '../../../../src/remote/client/manifest-elements.ts';
import { readManifestEntry } from '../../../../src/service/backup/manifest/manifest-entry.ts';
import { ServiceProblem } from '../../../../src/service/request/problem.ts';
import { Random } from '../../../helpers/random.ts';
import type { Reader } from './fuzz.ts';

const HASH = `sha256:${'ab'.repeat(32)}`;

/** Readers of what a service answers, and of what clients send to ours. */
export function protocolReaders(): readonly Reader[] {
  const random = new Random(3);
  return [packOfBlobs(random), signature(), streamed(), ...manifests()];
}

function packOfBlobs(random: Random): Reader {
  const entries = [1, 200, 0].map((bytes) => ({ digest: random.bytes(32), bytes, size: 300 }));
  return {
    name: 'index of a pack of blobs',
    samples: [Buffer.from(packIndex(entries)), Buffer.from(packIndex([]))],
    isProven: false,
    read: readPackIndex,
    faultOf: (value, bytes) => {
      const { entries: read, length } = value as NonNullable<ReturnType<typeof readPackIndex>>;
      if (length > bytes.length || read.length > MOST_PACKED_BLOBS) return 'more than there is';
      return read.every(({ digest }) => digest.length === 32) ? undefined : 'half a digest';
    },
  };
}

function signature(): Reader {
  return {
    name: 'signature of a device',
    samples: [Buffer.from(formatDeviceSignature(1_767_225_600, 'ab'.repeat(32)))],
    isProven: false,
    read: (bytes) => parseDeviceSignature(bytes.toString('latin1')),
    faultOf: (value, bytes) => {
      const { time, hexHmac } = value as NonNullable<ReturnType<typeof parseDeviceSignature>>;
      const text = bytes.toString('latin1');
      // A leading zero changes nothing.
      return text.endsWith(`${time},v1=${hexHmac}`) ? undefined : 'another signature';
    },
  };
}

/** Reads text in two pieces, wherever it is cut. */
function readStream(key: string, bytes: Buffer): { readonly items: unknown[]; readonly head: unknown } {
  const reader = new JsonArrayReader(key);
  const half = bytes.length >> 1;
  const items = [...reader.push(bytes.subarray(0, half)), ...reader.push(bytes.subarray(half))];
  return { items, head: reader.end() };
}

const isStreamError = (error: unknown): boolean => error instanceof JsonStreamError;

function streamed(): Reader {
  const text = JSON.stringify({ a: 'files', b: { files: [1] }, files: [{ x: '],[' }, [2, [3]], 'ä', null], c: -1.5e3 });
  return {
    name: 'long list in JSON',
    samples: [Buffer.from(text)],
    isProven: false,
    read: (bytes) => readStream('files', bytes),
    isRefusal: isStreamError,
    // What it accepts is what JSON.parse accepts, with the same items.
    faultOf: (value, bytes) => {
      const { items } = value as { readonly items: unknown[] };
      try {
        const whole = JSON.parse(bytes.toString('utf8')) as { readonly files: unknown };
        return JSON.stringify(whole.files) === JSON.stringify(items) ? undefined : 'other items';
      } catch {
        return 'no JSON';
      }
    },
  };
}

function manifests(): readonly Reader[] {
  const restored = {
    restore_session_id: 'ab',
    files: [
      { path: '/home/anna/a.txt', size: 10, modified: '2026-11-22T12:00:00Z', chunks: [HASH] },
      { path: 'C:/Users/ü', size: 0, modified: '2026-11-22T12:00:00.123456789Z', chunks: [] },
    ],
  };
  const sent = {
    device_id: 'ab',
    files: [
      { path: '/home/anna/a.txt', size: 10, modified: '2026-11-22T12:00:00Z', chunks: [{ hash: HASH, size: 10 }] },
    ],
  };
  return [
    {
      name: 'manifest that a service answers',
      samples: [Buffer.from(JSON.stringify(restored))],
      isProven: false,
      read: (bytes) => restoreElementsOf(readStream('files', bytes).items),
      isRefusal: isStreamError,
      faultOf: (value) => {
        const { files } = value as RestoreElements;
        const isWrong = files.some(
          ({ path, size, chunks }) =>
            !isEntryPath(path) ||
            !Number.isSafeInteger(size) ||
            size < 0 ||
            !chunks.every((chunk) => /^sha256:[0-9a-f]{64}$/.test(chunk)),
        );
        return isWrong ? 'a file that is none' : undefined;
      },
    },
    {
      name: 'manifest that a client sends',
      samples: [Buffer.from(JSON.stringify(sent))],
      isProven: false,
      read: (bytes) => readStream('files', bytes).items.map((item) => readManifestEntry(item)),
      isRefusal: (error) => isStreamError(error) || (error instanceof ServiceProblem && error.status < 500),
    },
  ];
}
