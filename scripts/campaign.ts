/**
 * Runs a campaign of the repository's tests for as long as it is told to:
 *
 *     npm run campaign -- repository --runs 1000 --seed 1
 *     npm run campaign -- repository --store s3
 *     npm run campaign -- interleavings --runs 5000 --seed 1
 *     npm run campaign -- histories --runs 1000 --seed 1
 *     npm run campaign -- power-loss --runs 20 --seed 1
 *     npm run campaign -- kills --runs 1000 --seed 1
 *     npm run campaign -- call-kills --only undo
 *     npm run campaign -- bits --runs 10000 --seed 1
 *     npm run campaign -- days --runs 365 --seed 1
 *     npm run campaign -- disk-faults --runs 1000 --seed 1
 *     npm run campaign -- service-kills --runs 100 --seed 1
 *     npm run campaign -- self-hosting
 *     npm run campaign -- packages --only AppImage
 *     npm run campaign -- packages --only NSIS
 *     npm run campaign -- cli-packages
 *     npm run campaign -- container
 *     npm run campaign -- systemd
 *     npm run campaign -- orca
 *     npm run campaign -- orca --only portal
 *     npm run campaign -- service-faults --runs 3 --devices 20
 *     npm run campaign -- http --seed 1
 *     npm run campaign -- lies --seed 1
 *     npm run campaign -- stores --only s3 --runs 100 --seed 1
 *     npm run campaign -- stores --only sftp --runs 100 --seed 1
 *     npm run campaign -- readers --runs 10000000 --seed 1
 *     npm run campaign -- ransomware --runs 1000 --seed 1
 *     npm run campaign -- looks
 */
// oxlint-disable-next-line import/no-unassigned-import -- before all others, which choose temporary folders
import '../test/system/campaigns/own-folder.ts';
import { parseArgs } from 'node:util';
import { ELECTRON } from '../test/app/electron-fixture.ts';
import { WorkerPool } from '../src/workers/pool.ts';
import { BenchBucket } from '../bench/network/bench-bucket.ts';
import { runBitsCampaign } from '../test/system/campaigns/bits/bits-campaign.ts';
import { runCliPackageCampaign } from '../test/system/campaigns/cli-packages/cli-package-campaign.ts';
import { containerProgram, runContainerCampaign } from '../test/system/campaigns/container/container-campaign.ts';
import { runDaysCampaign } from '../test/system/campaigns/days/days-campaign.ts';
import { runDiskFaultCampaign } from '../test/system/campaigns/disk-faults/disk-fault-campaign.ts';
import { runHttpCampaign } from '../test/system/campaigns/http/http-campaign.ts';
import { runCallKillCampaign } from '../test/system/campaigns/kills/call-kill-campaign.ts';
import { runKillCampaign } from '../test/system/campaigns/kills/kill-campaign.ts';
import { runLieCampaign } from '../test/system/campaigns/lies/lie-campaign.ts';
import { runLooksCampaign } from '../test/system/campaigns/looks/looks-campaign.ts';
import { ATTACKS } from '../test/system/campaigns/ransomware/attacks.ts';
import { runRansomwareCampaign, tableOf } from '../test/system/campaigns/ransomware/campaign.ts';
import { OrcaDesktop } from '../test/system/campaigns/orca/orca-desktop.ts';
import { runOrcaCampaign } from '../test/system/campaigns/orca/orca-campaign.ts';
import { runPackageCampaign } from '../test/system/campaigns/packages/package-campaign.ts';
import { fuzz } from '../test/system/campaigns/readers/fuzz.ts';
import { allReaders } from '../test/system/campaigns/readers/readers.ts';
import { BareRoot } from '../test/system/campaigns/self-hosting/bare-root.ts';
import { runSelfHostingCampaign } from '../test/system/campaigns/self-hosting/self-hosting-campaign.ts';
import { faultTable, runServiceFaultCampaign } from '../test/system/campaigns/service-faults/service-fault-campaign.ts';
import { runServiceKillCampaign } from '../test/system/campaigns/service-kills/service-kill-campaign.ts';
import { BootedRoot } from '../test/system/campaigns/systemd/booted-root.ts';
import { runSystemdCampaign } from '../test/system/campaigns/systemd/systemd-campaign.ts';
import { runBucketCampaign, runSftpCampaign } from '../test/system/campaigns/stores/store-campaign.ts';
import { Random } from '../test/helpers/random.ts';
import { runCampaign, type CampaignStore } from '../test/system/repository/campaign/campaign.ts';
import { runHistory } from '../test/unit/repository/collect/histories.ts';
import { explore, exploreStops, sample } from '../test/system/repository/interleavings/explore.ts';
import { prepared, SCENARIOS } from '../test/system/repository/interleavings/scenarios.ts';
import { canTrace } from '../test/system/repository/power-loss/place.ts';
import { runPowerLoss } from '../test/system/repository/power-loss/power-loss.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    runs: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
    store: { type: 'string', default: 'memory' },
    devices: { type: 'string' },
  },
});
let objectStore: BenchBucket | undefined;
const [campaign] = positionals;
const runs = Number(values.runs);
const seed = Number(values.seed);
switch (campaign) {
  case 'repository': {
    // Worlds of a hundred runs each: an error is then near its cause.
    for (let done = 0, world = seed; done < runs; world += 1) {
      const { backups, ...rest } = await runCampaign({
        seed: world,
        runs: Math.min(100, runs - done),
        parity: parityOf(world),
        store: await storeOf(values.store),
      });
      done += backups;
      console.log(JSON.stringify({ seed: world, backups, ...rest }));
    }
    break;
  }
  case 'interleavings':
    for (const scenario of SCENARIOS) {
      if (values.only !== undefined && !scenario.name.includes(values.only)) continue;
      const { start, dispose } = await prepared(scenario);
      const ordered = await explore(start, runs);
      const random = ordered.isComplete ? undefined : await sample(start, Math.ceil(runs / 4), new Random(seed));
      let stops = 0;
      for (const device of [0, 1, 2]) stops += (await exploreStops(start, device)).interleavings;
      const counts = { ...ordered, stops, random: random?.interleavings ?? 0 };
      console.log(JSON.stringify({ scenario: scenario.name, ...counts }));
      dispose();
    }
    break;
  case 'histories':
    for (let history = seed; history < seed + runs; history += 1) {
      console.log(JSON.stringify({ seed: history, ...(await runHistory(history, 40)) }));
    }
    break;
  case 'power-loss':
    if (!canTrace()) throw new Error('strace is missing here, or may not trace');
    for (let world = seed; world < seed + runs; world += 1) {
      const options = { seed: world, parity: parityOf(world), commands: 8, random: 2, homes: 0.05, programs: 0.02 };
      console.log(JSON.stringify({ seed: world, ...(await runPowerLoss(options)) }));
    }
    break;
  case 'kills': {
    // Ctrl+C ends it with the result so far.
    const stopping = new AbortController();
    process.once('SIGINT', () => stopping.abort());
    const result = await runKillCampaign({ seed, runs, signal: stopping.signal });
    console.log(JSON.stringify(result));
    if (result.failures.length > 0) process.exitCode = 1;
    break;
  }
  case 'call-kills': {
    const onFailure = (failure: string): void => console.error(failure);
    // At each call, unless a number is given.
    const chosen = process.argv.includes('--runs') ? runs : undefined;
    const result = await runCallKillCampaign({ seed, runs: chosen, only: values.only, onFailure });
    console.log(JSON.stringify(result));
    if (result.failures.length > 0) process.exitCode = 1;
    break;
  }
  case 'service-kills': {
    const onFailure = (failure: string): void => console.error(failure);
    const computers = values.devices === undefined ? 2 : Number(values.devices);
    const result = await runServiceKillCampaign({ seed, runs, computers, onFailure });
    console.log(JSON.stringify(result));
    if (result.failures.length > 0) process.exitCode = 1;
    break;
  }
  case 'self-hosting':
    if (!BareRoot.isPossible) throw new Error('this takes root, and a kernel with overlays');
    await runSelfHostingCampaign((step) => console.log(JSON.stringify(step)));
    break;
  case 'cli-packages':
    if (!BareRoot.isPossible) throw new Error('this takes root, and a kernel with overlays');
    await runCliPackageCampaign((step) => console.log(step));
    break;
  case 'systemd':
    if (!BootedRoot.isPossible)
      throw new Error('this takes root, a kernel with overlays, systemd, and D-Bus for people');
    await runSystemdCampaign((step) => console.log(step));
    break;
  case 'orca': {
    const missing = OrcaDesktop.missing ?? (ELECTRON === undefined ? 'an Electron' : undefined);
    if (missing !== undefined) throw new Error(`missing here: ${missing}`);
    const onHeard = (line: string): void => console.log(line);
    const faults = await runOrcaCampaign({ only: values.only ?? '', onHeard });
    for (const fault of faults) console.error(fault);
    if (faults.length > 0) process.exitCode = 1;
    break;
  }
  case 'packages':
    if (!BareRoot.isPossible) throw new Error('this takes root, and a kernel with overlays');
    await runPackageCampaign(values.only, (step) => console.log(JSON.stringify(step)));
    break;
  case 'container': {
    const program = containerProgram();
    if (program === undefined) throw new Error('this takes Docker or Podman');
    await runContainerCampaign(program, (step) => console.log(JSON.stringify(step)));
    break;
  }
  case 'service-faults': {
    const onResult = (result: unknown): void => console.log(JSON.stringify(result));
    const only = values.only === undefined ? {} : { only: [values.only] };
    const results = await runServiceFaultCampaign({ devices: Number(values.devices ?? '20'), runs, ...only, onResult });
    console.log(`\n${faultTable(results)}`);
    const isGood = results.every(({ lost, unexpected, alive }) => lost.length + unexpected.length === 0 && alive === 2);
    if (!isGood) process.exitCode = 1;
    break;
  }
  case 'bits': {
    await using pool = new WorkerPool();
    const onFailure = (failure: string): void => console.error(failure);
    const result = await runBitsCampaign(pool, { seed, runs, only: values.only, onFailure });
    console.log(JSON.stringify(result));
    if (result.failures.length > 0) process.exitCode = 1;
    break;
  }
  case 'days': {
    await using pool = new WorkerPool();
    for (const destination of ['repository', 'service'] as const) {
      if (values.only !== undefined && !destination.includes(values.only)) continue;
      const result = await runDaysCampaign(pool, { seed, days: runs, devices: 5, destination });
      console.log(JSON.stringify({ destination, seed, days: runs, ...result }));
    }
    break;
  }
  case 'disk-faults': {
    const onFailure = (failure: string): void => console.error(failure);
    const result = await runDiskFaultCampaign({ seed, runs, only: values.only, onFailure });
    console.log(JSON.stringify(result));
    if (result.failures.length > 0) process.exitCode = 1;
    break;
  }
  case 'stores': {
    await using pool = new WorkerPool(1);
    for (const [store, run] of [
      ['s3', runBucketCampaign],
      ['sftp', runSftpCampaign],
    ] as const) {
      if (values.only !== undefined && values.only !== store) continue;
      const result = await run(pool, { seed, runs });
      console.log(JSON.stringify({ store, ...result }));
      if (result.failures.length > 0) process.exitCode = 1;
    }
    break;
  }
  case 'http': {
    await using pool = new WorkerPool();
    const result = await runHttpCampaign(pool, { seed, every: 1 });
    console.log(JSON.stringify(result));
    if (result.failures.length > 0) process.exitCode = 1;
    break;
  }
  case 'lies': {
    await using pool = new WorkerPool();
    const onFailure = (failure: string): void => console.error(failure);
    const result = await runLieCampaign(pool, { seed, every: 1, only: values.only, onFailure });
    console.log(JSON.stringify(result));
    if (result.failures.length > 0) process.exitCode = 1;
    break;
  }
  case 'ransomware': {
    const onMistake = (mistake: unknown): void => console.log(JSON.stringify(mistake));
    const attacks = ATTACKS.filter(({ name }) => values.only === undefined || name.includes(values.only));
    console.log(tableOf(await runRansomwareCampaign({ days: runs, seed, attacks, onMistake })));
    break;
  }
  case 'readers': {
    const chosen = allReaders().filter(({ name }) => values.only === undefined || name.includes(values.only));
    for (const reader of chosen) {
      const result = fuzz(reader, { runs: Math.ceil(runs / chosen.length), seed });
      console.log(JSON.stringify(result));
      if (result.failures.length > 0) process.exitCode = 1;
    }
    break;
  }
  case 'looks':
    process.exitCode = runLooksCampaign(values.only);
    break;
  default:
    console.error(
      'usage: npm run campaign -- repository|interleavings|power-loss|kills|service-kills|self-hosting|packages|cli-packages|systemd|orca|service-faults|bits|days|disk-faults|http|lies|readers|ransomware|looks [--runs N] [--seed N] [--store memory|folder|s3] [--only NAME] [--devices N]',
    );
    process.exitCode = 2;
}

/** Every second world has parity. */
function parityOf(world: number): number {
  return world % 2 === 0 ? 20 : 0;
}
await objectStore?.[Symbol.asyncDispose]();

/** An empty place for a world. Buckets are in one object store, which ends with the campaign. */
async function storeOf(name: string): Promise<CampaignStore> {
  if (name === 'memory' || name === 'folder') return name;
  objectStore ??= await BenchBucket.start();
  return await objectStore.create();
}
