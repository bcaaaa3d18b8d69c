/** What menus and software centres of Linux show, in one language. */
export interface Texts {
  readonly genericName: string;
  /** One line without a full stop. */
  readonly comment: string;
  /** Words that a menu's search finds, each with a semicolon at its end. */
  readonly keywords: string;
  /** Paragraphs for software centres. */
  readonly description: readonly string[];
}

/** Main and additional category of the menu. */
export const CATEGORIES = 'Utility;Archiving';

export const LANGUAGES: Readonly<Record<'en' | 'de' | 'fr' | 'es' | 'ja' | 'ar', Texts>> = {
  en: {
    genericName: 'Backup',
    comment: 'Back up folders and restore earlier versions of files',
    keywords: 'backup;restore;encryption;versions;',
    description: [
      'Holdfast backs up your folders and restores any file as it was at any earlier time.',
      'Everything is encrypted on your computer before it leaves it. Backups go to a disk, a folder, a bucket, a server or a cloud drive.',
    ],
  },
  de: {
    genericName: 'Datensicherung',
    comment: 'Ordner sichern und frühere Versionen von Dateien wiederherstellen',
    keywords: 'Sicherung;Backup;Wiederherstellung;Verschlüsselung;Versionen;',
    description: [
      'Holdfast sichert deine Ordner und stellt jede Datei so wieder her, wie sie zu einem früheren Zeitpunkt war.',
      'Alles wird auf deinem Computer verschlüsselt, bevor es ihn verlässt. Sicherungen liegen auf einer Festplatte, in einem Ordner, in einem Bucket, auf einem Server oder in einem Cloud-Speicher.',
    ],
  },
  fr: {
    genericName: 'Sauvegarde',
    comment: 'Sauvegarder des dossiers et restaurer des versions antérieures de fichiers',
    keywords: 'sauvegarde;restauration;chiffrement;versions;',
    description: [
      'Holdfast sauvegarde vos dossiers et restaure n’importe quel fichier tel qu’il était à un moment antérieur.',
      'Tout est chiffré sur votre ordinateur avant de le quitter. Les sauvegardes vont sur un disque, dans un dossier, dans un bucket, sur un serveur ou dans un espace de stockage en ligne.',
    ],
  },
  es: {
    genericName: 'Copias de seguridad',
    comment: 'Hacer copias de seguridad de carpetas y restaurar versiones anteriores de archivos',
    keywords: 'copia de seguridad;respaldo;restaurar;cifrado;versiones;',
    description: [
      'Holdfast hace copias de seguridad de tus carpetas y restaura cualquier archivo tal como estaba en un momento anterior.',
      'Todo se cifra en tu equipo antes de salir de él. Las copias se guardan en un disco, una carpeta, un bucket, un servidor o un almacenamiento en la nube.',
    ],
  },
  ja: {
    genericName: 'バックアップ',
    comment: 'フォルダーをバックアップし、ファイルの以前のバージョンを復元します',
    keywords: 'バックアップ;復元;暗号化;バージョン;',
    description: [
      'Holdfastはフォルダーをバックアップし、どのファイルも以前の好きな時点の状態に復元します。',
      'データはすべて、コンピューターから出る前に暗号化されます。バックアップは、ディスク、フォルダー、バケット、サーバー、クラウドドライブのいずれかに保存されます。',
    ],
  },
  ar: {
    genericName: 'نسخ احتياطي',
    comment: 'نسخ المجلدات احتياطيًا واستعادة إصدارات سابقة من الملفات',
    keywords: 'نسخ احتياطي;استعادة;تشفير;إصدارات;',
    description: [
      'ينسخ Holdfast مجلداتك احتياطيًا، ويستعيد أي ملف كما كان في أي وقت سابق.',
      'يُشفَّر كل شيء على حاسوبك قبل أن يغادره. تُحفَظ النسخ الاحتياطية على قرص، أو في مجلد أو حاوية، أو على خادم، أو في تخزين سحابي.',
    ],
  },
};

/** The line below the name of the app. */
export const COMMENT = LANGUAGES.en.comment;

/** The description of packages, in paragraphs. */
export const DESCRIPTION = LANGUAGES.en.description.join('\n');

/** Returns the texts of the entry in menus, without its comment in English, which electron-builder takes from the description. */
export function desktopEntry(): Readonly<Record<string, string>> {
  const translated = Object.entries(LANGUAGES).flatMap(([language, { genericName, comment, keywords }]) => {
    const at = (key: string): string => (language === 'en' ? key : `${key}[${language}]`);
    return [
      [at('GenericName'), genericName],
      [at('Comment'), comment],
      [at('Keywords'), keywords],
    ];
  });
  return Object.fromEntries(translated) as Readonly<Record<string, string>>;
}
