/** FILE_ATTRIBUTE_… of winnt.h. */
export const READ_ONLY = 0x1;
export const HIDDEN = 0x2;
export const SYSTEM = 0x4;
export const DIRECTORY = 0x10;
export const REPARSE_POINT = 0x400;
export const COMPRESSED = 0x800;
const NOT_INDEXED = 0x2000;
export const ENCRYPTED = 0x4000;

/** Those that somebody has chosen. The others follow from the content, or change with every write. */
export const CHOSEN = READ_ONLY | HIDDEN | SYSTEM | COMPRESSED | NOT_INDEXED | ENCRYPTED;
/** Those that can be set directly. */
export const SETTABLE = READ_ONLY | HIDDEN | SYSTEM | NOT_INDEXED;

/** IO_REPARSE_TAG_MOUNT_POINT: a junction, or a folder in which a volume is mounted. */
export const MOUNT_POINT_TAG = 0xa000_0003;
