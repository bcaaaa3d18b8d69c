/**
 * Extensions that only ransomware gives to files that it encrypted. General ones that people use too (`.enc`, `.locked`,
 * `.encrypted`) count only after another extension, as in `report.docx.locked`.
 */
const ENDINGS = new Set(
  (
    'wncry wncryt wcry locky zepto odin thor aesir zzzzz cerber cerber2 cerber3 crypz cryp1 crypt1 cryptolocker ' +
    'cryptowall teslacrypt vvv ecc ezz exx micro ttt xtbl dharma wallet arena bip phobos eking makop mkp djvu djvus ' +
    'gdcb krab ryk ryuk conti lockbit abcd sodinokibi revil akira blackcat royal babyk babuk avos avos2 hive medusa ' +
    'rhysida clop cl0p blackbasta basta ragnar nefilim netwalker maze egregor darkside blackmatter play qilin ' +
    'petya notpetya badrabbit sage wasted snatch globe purge crysis cryptxxx'
  ).split(' '),
);
const GENERAL_ENDINGS = new Set(['locked', 'encrypted', 'crypted', 'crypt', 'crypto', 'enc', 'lock']);

/** Ransom notes that are left in each folder. */
const NOTES =
  /^(_?readme_?for_?decrypt|_readme\.txt$|how[_ -]?to[_ -]?(decrypt|restore|recover|back)|decrypt[_ -]?(instruction|my|your|files)|(recover|restore)[_ -]?(your|my)?[_ -]?files|help[_ -]?(decrypt|restore|recover)|!+_?read[_ ]?me)/i;

/** Returns whether known ransomware names its encrypted files or its ransom notes like this. */
export function isSuspiciousName(name: string): boolean {
  if (NOTES.test(name)) return true;
  const parts = name.toLowerCase().split('.');
  const ending = parts.at(-1) ?? '';
  if (parts.length < 2) return false;
  if (ENDINGS.has(ending)) return true;
  return parts.length > 2 && GENERAL_ENDINGS.has(ending);
}

/** Extensions of programs with which people encrypt single files of their own. */
const OWN_ENCRYPTION = new Set('gpg pgp asc age axx aes bc cpt p7m'.split(' '));

/** Returns whether a program with which people encrypt their own files names them like this. */
export function isOwnEncryption(name: string): boolean {
  return OWN_ENCRYPTION.has(name.slice(name.lastIndexOf('.') + 1).toLowerCase());
}
