import type { ReactElement } from 'react';
import type { DestinationChoice } from '../../../../ipc/contract/setup.ts';
import { BucketFields } from './bucket-fields.tsx';
import { FolderField } from './folder-field.tsx';
import { RcloneFields } from './rclone-fields.tsx';
import { ServiceField } from './service-field.tsx';
import { SftpFields } from './sftp-fields.tsx';
import { WebdavFields } from './webdav-fields.tsx';

interface ChoiceFieldsProps {
  readonly choice: DestinationChoice;
  /** Marks empty fields, after the person has tried to continue. */
  readonly isChecked: boolean;
  readonly onChange: (choice: DestinationChoice) => void;
}

/** The fields of a choice. */
export function ChoiceFields({ choice, ...rest }: ChoiceFieldsProps): ReactElement {
  switch (choice.kind) {
    case 'folder':
      return <FolderField choice={choice} {...rest} />;
    case 'bucket':
      return <BucketFields choice={choice} {...rest} />;
    case 'sftp':
      return <SftpFields choice={choice} {...rest} />;
    case 'webdav':
      return <WebdavFields choice={choice} {...rest} />;
    case 'rclone':
      return <RcloneFields choice={choice} {...rest} />;
    case 'service':
      return <ServiceField choice={choice} {...rest} />;
  }
}
