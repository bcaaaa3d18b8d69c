import type { SigningKey } from './signing-key.ts';

/** How the files of a release came to be. */
export interface Build {
  readonly version: string;
  readonly commit: string;
  /** Where the commit can be fetched; `undefined` if that is nobody's business, such as a folder. */
  readonly source: string | undefined;
  readonly homepage: string;
  readonly builder: string;
  /** SHA-256 of package-lock.json, which names every library with its hash. */
  readonly lock: string;
  readonly node: string;
  readonly epoch: number;
  readonly started: Date;
  readonly finished: Date;
}

export interface Subject {
  readonly name: string;
  readonly sha256: string;
}

/** Returns a statement of in-toto (in-toto.io/Statement/v1) with the predicate of SLSA (slsa.dev/provenance/v1). */
export function provenance(subjects: readonly Subject[], build: Build): object {
  const { version, commit, source, homepage, builder, lock, node, epoch } = build;
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: subjects.map(({ name, sha256 }) => ({ name, digest: { sha256 } })),
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: `${homepage.replace(/\/$/, '')}/release/v1`,
        externalParameters: { version },
        internalParameters: { sourceDateEpoch: epoch, node },
        resolvedDependencies: [
          {
            name: 'source',
            ...(source !== undefined && { uri: `git+${source}@${commit}` }),
            digest: { gitCommit: commit },
          },
          { name: 'package-lock.json', digest: { sha256: lock } },
        ],
      },
      runDetails: {
        builder: { id: builder },
        metadata: { startedOn: build.started.toISOString(), finishedOn: build.finished.toISOString() },
      },
    },
  };
}

const PAYLOAD_TYPE = 'application/vnd.in-toto+json';

/** Returns a statement in a signed envelope (DSSE 1.0). */
export function envelope(statement: object, key: SigningKey): object {
  const payload = Buffer.from(JSON.stringify(statement));
  const signed = Buffer.concat([
    Buffer.from(`DSSEv1 ${PAYLOAD_TYPE.length} ${PAYLOAD_TYPE} ${payload.length} `),
    payload,
  ]);
  return {
    payloadType: PAYLOAD_TYPE,
    payload: payload.toString('base64'),
    signatures: [{ keyid: key.fingerprint, sig: key.sign(signed).toString('base64') }],
  };
}

/** Returns an address without user and password, and only one that others can reach. */
export function publicSource(remote: string): string | undefined {
  if (!URL.canParse(remote)) return undefined;
  const url = new URL(remote);
  if (url.protocol !== 'https:') return undefined;
  url.username = '';
  url.password = '';
  return url.href;
}
