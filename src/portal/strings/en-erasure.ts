/** Texts about erasing data for good. */
export const erasureWordsEn = {
  erasure: {
    title: 'Erase data',
    lead: 'Erases backups permanently, together with the names and addresses that belong to them. Removing a restore point or revoking a device does not do that.',
    none: 'Nothing is to be erased.',
    begin: 'Erase…',
    what: 'What',
    due: 'When',
    dueOn: (time: string): string => `on ${time}`,
    doneOn: (time: string): string => `erased on ${time}`,
    gone: 'Erased',
    cancel: 'Cancel the erasure',
    cancelOf: (what: string): string => `Cancel the erasure of ${what}`,
    dialogTitle: 'Erase data for good',
    memberOf: (email: string): string => `Erase ${email}`,
    memberTitle: (email: string): string => `Erase ${email} for good?`,
    memberBody: 'Removes this person, the devices that they set up, and all backups of these devices.',
    wait: 'It happens after the waiting time of this service, and not before restore points reach their minimum age. Until then you can cancel it here, and what will be erased is no longer backed up.',
    keepFirst:
      'Save what you need first: restore files on a computer that has the recovery phrase, or copy the backups to another destination there. Nobody can recover them later.',
    download: 'Download what this service stores about the account',
    submit: 'Erase',
    scopes: { set: 'Backup set', device: 'Device', member: 'Person', account: 'Whole account' } as Readonly<
      Record<string, string>
    >,
    ofSet: (device: string, set: string): string => `Backup set ${set} of ${device}`,
    ofDevice: (device: string): string => `Device ${device} with all of its backups`,
    ofMember: (email: string): string => `${email}, with their devices and backups`,
    ofAccount: 'The whole account, with all people, devices and backups',
  },
};
