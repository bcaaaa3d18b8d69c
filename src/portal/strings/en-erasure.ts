/** Texts about erasing data for good. */
export const erasureWordsEn = {
  erasure: {
    title: 'Erase data',
    lead: 'Removes backups for good, together with the names and addresses that belong to them. Removing a restore point or revoking a device does less.',
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
    wait: 'It happens after the waiting time of this service, and after every minimum age of restore points. Until then you can cancel it here, and what is to be erased is not backed up any more.',
    keepFirst:
      'Keep what you need first. Files: restore them on a computer that has the recovery phrase, or copy the backups to another destination there. Nobody can bring them back later.',
    download: 'Save what this service knows about the account',
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
