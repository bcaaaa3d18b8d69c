/** What several views, the tray and the notifications say. */
export const commonEn = {
  product: 'Holdfast',
  views: {
    home: 'Home',
    sets: 'Backup sets',
    restore: 'Restore',
    activity: 'Activity',
    devices: 'Devices',
    settings: 'Settings',
  },
  skip: 'Skip to content',
  sections: 'Sections',
  cancel: 'Cancel',
  close: 'Close',
  save: 'Save',
  back: 'Back',
  next: 'Next',
  retry: 'Try again',
  loading: 'One moment…',
};
