import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { encode } from 'cborg';

const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
const ATTESTED = 0x40;

/** What an honest authenticator and browser would not do. */
export interface Dishonest {
  readonly origin?: string;
  readonly rpId?: string;
  readonly challenge?: string;
  readonly type?: string;
  readonly flags?: number;
  readonly counter?: number;
  /** The id of another credential. */
  readonly id?: string;
}

interface Options {
  readonly challenge: string;
}

/** An independent authenticator with the browser in front of it: one ES256 credential (WebAuthn Level 2, 6.1 and 6.5). */
export class SoftwareAuthenticator {
  readonly id = randomBytes(16).toString('base64url');
  counter = 0;
  readonly #origin: string;
  readonly #key: KeyObject;
  readonly #publicKey: KeyObject;

  constructor(origin: string) {
    this.#origin = origin;
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    this.#key = privateKey;
    this.#publicKey = publicKey;
  }

  /** @param options as `generateRegistrationOptions` makes them */
  register(options: Options, not: Dishonest = {}) {
    const { x, y } = this.#publicKey.export({ format: 'jwk' });
    const [alg, crv] = [-7, 1];
    const coordinates = [x!, y!].map((one) => new Uint8Array(Buffer.from(one, 'base64url'))) as [
      Uint8Array,
      Uint8Array,
    ];
    const key = new Map<number, number | Uint8Array>([
      [1, 2],
      [3, alg],
      [-1, crv],
      [-2, coordinates[0]],
      [-3, coordinates[1]],
    ]);
    const id = Buffer.from(this.id, 'base64url');
    const length = Buffer.alloc(2);
    length.writeUInt16BE(id.length);
    const credential = Buffer.concat([Buffer.alloc(16), length, id, encode(key)]);
    const flags = (not.flags ?? USER_PRESENT | USER_VERIFIED) | ATTESTED;
    const authData = Buffer.concat([this.#authenticatorData(not, flags), credential]);
    const attestation = encode({ fmt: 'none', attStmt: {}, authData: new Uint8Array(authData) });
    return this.#credential({
      clientDataJSON: this.#clientData('webauthn.create', options, not).toString('base64url'),
      attestationObject: Buffer.from(attestation).toString('base64url'),
      transports: ['internal'],
    });
  }

  /** @param options as `generateAuthenticationOptions` makes them */
  sign(options: Options, not: Dishonest = {}) {
    this.counter += 1;
    const clientData = this.#clientData('webauthn.get', options, not);
    const authenticatorData = this.#authenticatorData(not, not.flags ?? USER_PRESENT | USER_VERIFIED);
    const signed = Buffer.concat([authenticatorData, createHash('sha256').update(clientData).digest()]);
    return this.#credential(
      {
        clientDataJSON: clientData.toString('base64url'),
        authenticatorData: authenticatorData.toString('base64url'),
        signature: sign('sha256', signed, this.#key).toString('base64url'),
      },
      not.id,
    );
  }

  #credential<Response extends object>(response: Response, id = this.id) {
    return { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response } as const;
  }

  #clientData(type: string, { challenge }: Options, not: Dishonest): Buffer {
    const data = { type: not.type ?? type, challenge: not.challenge ?? challenge, origin: not.origin ?? this.#origin };
    return Buffer.from(JSON.stringify({ ...data, crossOrigin: false }));
  }

  #authenticatorData(not: Dishonest, flags: number): Buffer {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(not.counter ?? this.counter);
    const rpId = createHash('sha256')
      .update(not.rpId ?? new URL(this.#origin).hostname)
      .digest();
    return Buffer.concat([rpId, Buffer.of(flags), counter]);
  }
}
