import type { Command } from 'commander';
import type { GivenServiceConfig } from '../../../service/administration/service-config.ts';
import type { GlobalOptions } from '../../runner.ts';
import { wholeNumber } from '../arguments.ts';

/** The settings of a service that were given on the command line. */
export interface ConfigOptions extends GlobalOptions {
  readonly config?: string;
  readonly data?: string;
  readonly host?: string;
  readonly port?: number;
  readonly publicUrl?: string;
  readonly database?: string;
  readonly objects?: string;
  readonly endpoint?: string;
  readonly region?: string;
  readonly allowPrivateWebhooks?: true;
}

const CONFIG_HELP = `
The config file is JSON; each of its fields can also be set in the environment, as HOLDFAST_SERVICE_PUBLIC_URL
for publicUrl. The command line comes first, then the environment, then the file. docs/self-hosting.md has all
fields. The keys of a bucket come from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.`;

/** Adds the options that configure a service to a command. */
export function withConfigOptions(command: Command): Command {
  return command
    .option('--config <file>', 'a config file')
    .option('--data <dir>', 'the folder with its data')
    .option('--port <number>', '8787; 0 for a free one', wholeNumber('a port', 0, 65_535))
    .option('--host <host>', '127.0.0.1; 0.0.0.0 for all')
    .option('--public-url <url>', 'where clients reach it, behind a proxy')
    .option('--database <url>', 'postgres://USER@HOST/NAME in place of SQLite')
    .option('--objects <url>', 's3://BUCKET[/PREFIX] in place of files')
    .option('--endpoint <url>', 'the address of the S3 server')
    .option('--region <name>', 'the region of the bucket')
    .option('--allow-private-webhooks', 'let webhooks go to private addresses')
    .addHelpText('after', CONFIG_HELP);
}

export function givenConfig(options: ConfigOptions): GivenServiceConfig {
  const { data, host, port, publicUrl, database, objects, endpoint, region, allowPrivateWebhooks } = options;
  const bucket = { objects, objectsEndpoint: endpoint, objectsRegion: region };
  return { data, host, port, publicUrl, database, ...bucket, allowPrivateWebhooks };
}
