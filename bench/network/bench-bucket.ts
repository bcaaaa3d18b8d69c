import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import type { BucketConfig } from '../../src/storage/bucket/bucket-config.ts';
import { RadosGateway, type S3Address } from '../../test/helpers/s3/rados-gateway.ts';

/** An object store of its own on the loopback, whose data are in memory. */
export class BenchBucket implements AsyncDisposable {
  readonly #gateway: RadosGateway;
  readonly #address: S3Address;

  private constructor(gateway: RadosGateway, address: S3Address) {
    this.#gateway = gateway;
    this.#address = address;
  }

  static async start(): Promise<BenchBucket> {
    // Its daemons run as another user, who has to be able to enter the folder.
    const gateway = new RadosGateway(join(tmpdir(), `holdfast-bench-s3-${randomBytes(8).toString('hex')}`));
    return new BenchBucket(gateway, await gateway.start());
  }

  /** The variables that S3 programs read. */
  get environment(): Readonly<Record<string, string>> {
    const { accessKeyId, secretAccessKey } = this.#address;
    return { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey };
  }

  /** Creates an empty bucket. */
  async create(): Promise<BucketConfig> {
    const { endpoint, region, accessKeyId, secretAccessKey } = this.#address;
    const credentials = { accessKeyId, secretAccessKey };
    const bucket = `bench-${randomBytes(8).toString('hex')}`;
    const client = new S3Client({ endpoint, region, credentials, forcePathStyle: true });
    await client.send(new CreateBucketCommand({ Bucket: bucket }));
    client.destroy();
    return { bucket, prefix: '', endpoint, region, credentials };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#gateway.stop();
  }
}
