/**
 * Endings that ransomware gives the files that it encrypted, and that nobody else does. General ones that people use too
 * (`.enc`, `.locked`, `.encrypted`) count only where they stand behind another ending, as in `report.docx.locked`.
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

/** Notes that are left in each folder. */
const NOTES =
  /^(_?readme_?for_?decrypt|_readme\.txt$|how[_ -]?to[_ -]?(decrypt|restore|recover|back)|decrypt[_ -]?(instruction|my|your|files)|(recover|restore)[_ -]?(your|my)?[_ -]?files|help[_ -]?(decrypt|restore|recover)|!+_?read[_ ]?me)/i;

/** Whether a file is called as known ransomware calls what it encrypted, or the notes that it leaves. */
export function isSuspiciousName(name: string): boolean {
  if (NOTES.test(name)) return true;
  const parts = name.toLowerCase().split('.');
  const ending = parts.at(-1) ?? '';
  if (parts.length < 2) return false;
  if (ENDINGS.has(ending)) return true;
  return parts.length > 2 && GENERAL_ENDINGS.has(ending);
}
