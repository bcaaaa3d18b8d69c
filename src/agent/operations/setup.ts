import { accessSync, constants, existsSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { HoldfastError, isHoldfastError, systemCodeOf } from '../../base/errors/errors.ts';
import { keyIdOf } from '../../format/crypto/keys.ts';
import { masterKeyOf, phraseOf } from '../../format/crypto/recovery-phrase.ts';
import type { AgentParts } from '../context/agent-parts.ts';
import type { OperationRun } from '../context/operation-run.ts';
import { tellDoubt } from '../context/watch-doubt.ts';
import { prepareHome, type Home } from '../home/home.ts';
import { lockSettings } from '../home/settings-lock.ts';
import { locationOf } from '../home/destination-location.ts';
import { newDestinationId } from '../home/destination-entry.ts';
import { defaultName } from '../home/destination-name.ts';
import { loadSettings, requireStoredSettings, saveStoredSettings, type StoredSettings } from '../home/settings.ts';
import type { Secrets } from '../key-store/key-store.ts';
import type { Joined, JoinRequest, SetupDestination } from '../setup/join-request.ts';
import { joinDestination } from '../setup/join.ts';

export interface SetupRequest {
  readonly destination: SetupDestination;
  /** An existing device to continue as. By default a new one is registered. */
  readonly deviceId?: string;
  /** The name of a new device. This computer's by default. */
  readonly deviceName?: string;
  readonly recoveryPhrase?: string;
  /** Wraps the master key in the envelope that is stored with the backups, or opens such an envelope. */
  readonly passphrase?: string;
  /** A one-time code that another computer shows, in place of the recovery phrase. */
  readonly keyCode?: string;
  /** True if words of a new phrase will be asked back. Until then the phrase counts as not written down. */
  readonly asksPhraseBack?: boolean;
}

export interface SetupReport extends Omit<Joined, 'secrets'> {
  readonly recoveryPhrase: string;
}

/**
 * Sets up a home. Everything that can be checked is checked first, and nothing is saved if anything fails.
 *
 * @throws HoldfastError `already_set_up`, `phrase_invalid`, `home_unwritable`, and what `joinDestination` throws
 */
export async function setup(
  parts: AgentParts,
  request: SetupRequest,
  { signal }: OperationRun = {},
): Promise<SetupReport> {
  refuseSecondSetup(parts.home);
  checkWritable(parts.home);
  const { destination, deviceId, deviceName = hostname(), recoveryPhrase, passphrase, keyCode } = request;
  const master = recoveryPhrase === undefined ? undefined : masterKeyOf(recoveryPhrase);
  const left = await leftSecrets(parts);
  const save = (made: Joined): Promise<void> => saveHome(made, parts, request.asksPhraseBack === true && !made.adopted);
  const joined = await joinDestination(
    destination,
    {
      deviceId,
      deviceName,
      keys: { master, passphrase, code: keyCode, cost: parts.passwordCost, left },
      save,
      ...(!existsSync(parts.home.secretsFile) && beginningOf(parts)),
    },
    parts,
    signal,
  );
  tellDoubt(parts, requireStoredSettings(parts.home).destinations[0]!.id, joined.doubt);
  const { secrets, ...report } = joined;
  return { ...report, recoveryPhrase: phraseOf(secrets.masterKey) };
}

/**
 * Loads what a set-up that was killed left: its key is used again, as nobody has seen its phrase. Secrets that were in use before, or that
 * cannot be read, are left alone until others take their place.
 */
async function leftSecrets({ keyStore }: AgentParts): Promise<Secrets | undefined> {
  try {
    const secrets = await keyStore.load();
    return secrets && (secrets.epoch ?? 1) === 1 && !secrets.earlierKeys ? secrets : undefined;
  } catch (error) {
    if (isHoldfastError(error)) return undefined;
    throw error;
  }
}

/** Saves the secrets before anything is begun at the destination, and removes them if nothing was. */
function beginningOf({ home, keyStore }: AgentParts): Pick<JoinRequest, 'begin' | 'withdraw'> {
  return {
    begin: async (secrets) => {
      prepareHome(home);
      using _lock = lockSettings(home);
      refuseSecondSetup(home);
      await keyStore.save(secrets);
    },
    withdraw: async ({ masterKey }) => {
      if (loadSettings(home)) return;
      const left = await keyStore.load().catch(() => undefined);
      if (left && keyIdOf(left.masterKey) !== keyIdOf(masterKey)) return;
      rmSync(home.secretsFile, { force: true });
    },
  };
}

/** Saves the secrets first, since the settings are what makes a home set up. */
async function saveHome(joined: Joined, { home, keyStore }: AgentParts, asksPhraseBack: boolean): Promise<void> {
  const { destination, deviceId, deviceName, parity, secrets } = joined;
  const keyId = keyIdOf(secrets.masterKey);
  const settings: StoredSettings = {
    version: 1,
    destinations: [
      { id: newDestinationId(), name: defaultName(destination, []), destination, deviceId, deviceName, parity },
    ],
    keyId,
    sets: [],
    ...(asksPhraseBack ? { phraseConfirmed: false } : {}),
  };
  prepareHome(home);
  using _lock = lockSettings(home);
  refuseSecondSetup(home);
  await keyStore.save(secrets);
  try {
    saveStoredSettings(home, settings);
  } catch (error) {
    if (!hasWithdrawn(home)) return;
    throw error;
  }
}

/**
 * Removes settings that are in place although saving them failed, since their folder could not be synced. Returns whether there are
 * none: a home that has them is set up.
 */
function hasWithdrawn({ settingsFile }: Home): boolean {
  try {
    rmSync(settingsFile, { force: true });
  } catch (error) {
    if (systemCodeOf(error) === undefined) throw error;
  }
  return !existsSync(settingsFile);
}

function refuseSecondSetup(home: Home): void {
  const settings = loadSettings(home);
  if (!settings) return;
  throw new HoldfastError('already_set_up', { home: home.folder, destination: locationOf(settings.destination) });
}

/** Fails before anything is created at the destination for a home that cannot be saved. */
function checkWritable(home: Home): void {
  let folder = home.folder;
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder);
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new HoldfastError('home_unwritable', { file: folder, problem: systemCodeOf(error) }, { cause: error });
  }
}
