import type { reasonsEn } from '../en/reasons.ts';

export const reasonsDe: typeof reasonsEn = {
  unknown: (reason) => `Damit stimmte etwas nicht (${reason}).`,
  sentences: {
    // of a backup
    'folder-missing': 'Fehlt und wurde ausgelassen. Die letzte Version bleibt erhalten.',
    'folder-unreadable': 'Nicht lesbar und daher ausgelassen. Die letzte Version bleibt erhalten.',
    'folder-not-mounted': 'Das Laufwerk ist nicht angeschlossen. Ausgelassen; die letzte Version bleibt erhalten.',
    'folder-empty': 'Plötzlich leer und daher ausgelassen. Die letzte Version bleibt erhalten.',
    'changed-while-reading':
      'Sie hat sich beim Lesen ständig geändert. Ihre vorige Version bleibt erhalten, falls es eine gibt.',
    growing: 'Sie ist beim Lesen ständig gewachsen. Nur der Teil, der bis dahin geschrieben war, ist gesichert.',
    'permission-denied': 'Du darfst sie nicht lesen. Ihre vorige Version bleibt erhalten, falls es eine gibt.',
    'path-too-long': 'Ihr Pfad ist für dieses System zu lang.',
    'attributes-too-large': 'Ihre erweiterten Attribute sind zu groß; sie ist ohne sie gesichert.',
    'in-use': 'Ein anderes Programm hält sie gesperrt. Ihre vorige Version bleibt erhalten, falls es eine gibt.',
    'read-error': 'Sie ließ sich nicht lesen: Das Laufwerk meldet einen Fehler.',
    vanished: 'Sie wurde gelöscht, bevor sie gelesen werden konnte.',
    'special-file':
      'Das ist keine gewöhnliche Datei, sondern ein Socket, eine Pipe oder ein Gerät. Es wird ausgelassen.',
    'online-only':
      'Sie ist nur online verfügbar: Dein Cloud-Laufwerk zeigt sie ohne ihren Inhalt. Sie ist nicht gesichert. Lade sie herunter, oder lass diesen Plan solche Dateien holen.',
    'online-only-kept': 'Sie ist jetzt nur online verfügbar. Die zuletzt gesicherte Version bleibt erhalten.',
    'online-only-folder':
      'Dieser Ordner ist nur online verfügbar. Was früher gesichert wurde, bleibt erhalten; Neues darin ist nicht gesichert.',
    'after-command':
      'Der Befehl nach der Sicherung ist fehlgeschlagen. Sieh im Plan unter „Davor und danach“ nach, was er ausgegeben hat.',
    'reserved-path': 'Holdfast verwendet diesen Pfad für eigene Daten. Es wird ausgelassen.',
    'other-file-system':
      'Das liegt auf einem anderen Laufwerk, und dieser Sicherungsplan bleibt auf einem. Es wird ausgelassen.',
    unreadable: 'Sie ließ sich nicht lesen.',
    'differs-on-disk':
      'Die Datei auf diesem Computer weicht von ihrer Sicherung ab, obwohl Größe und Zeit gleich sind. Vielleicht ist ihr Laufwerk defekt.',
    'destination-damaged':
      'Dort sind Dateien deiner Sicherungen beschädigt oder fehlen, oder es ist eine ältere Kopie. „holdfast check“ nennt, was betroffen ist.',
    'unknown-run':
      'Dieser Computer hat diesen Wiederherstellungspunkt nicht erstellt, und nichts beweist ihn. Vielleicht hat jemand den Schlüssel dieses Geräts: Sperre das Gerät, und stelle aus anderen Wiederherstellungspunkten wieder her.',
    'missing-run':
      'Das Ziel führt diesen Wiederherstellungspunkt nicht mehr auf, und dieser Computer hat ihn nicht entfernt. Wenn ihn auch sonst niemand entfernt hat, ist er verloren gegangen: Prüfe das Ziel.',
    'key-envelope-lost':
      'Für diesen Sicherungsplan hat der Dienst früher einen neueren Schlüssel geliefert. Er liefert ältere Daten oder hält etwas zurück: Prüfe die Wiederherstellungspunkte dort.',
    'moved-run':
      'Das Ziel nennt für diesen Wiederherstellungspunkt eine andere Zeit als die, zu der er erstellt wurde. Vielleicht hat jemand die Wiederherstellungspunkte dort verändert.',
    'clock-was-ahead':
      'Die Zeit dieses Wiederherstellungspunkts liegt in der Zukunft: Die Uhr ging vor. Spätere werden direkt danach aufgeführt, und ein Datum findet jeden nach seiner Entstehung. Falls die Uhr jetzt falsch geht, stelle sie richtig.',
    'clock-jumped':
      'Dieser Wiederherstellungspunkt ist mehr als ein Jahr später als der vorige. Falls die Uhr dieses Computers falsch geht, stelle sie vor der nächsten Sicherung richtig.',
    'index-made-anew':
      'Das lokale Verzeichnis der Dateien war beschädigt und wurde neu angelegt. Alle Dateien wurden neu gelesen.',
    'index-lost-jobs':
      'Einige Einträge früherer Läufe waren nicht lesbar. Darunter kann eine nicht abgeschlossene Wiederherstellung sein.',

    // of a copy
    'copy-damaged':
      'Ein Teil davon fehlt am anderen Ziel und konnte nicht kopiert werden. Kopiere von einem Ziel, das ihn hat.',
    'copy-older': 'Er ist älter als der neueste Wiederherstellungspunkt am anderen Ziel, das ihn nicht mehr annimmt.',
    'copy-no-tree': 'Er wurde von einem anderen Programm erstellt. Er wurde nicht kopiert.',

    // of a restore
    'no-tree':
      'Diese Sicherung wurde von einem anderen Programm erstellt: Rechte, Verknüpfungen und leere Ordner sind nicht bekannt.',
    unverified: 'Das hat der Dienst gesendet. Nichts beweist, dass es so gesichert wurde.',
    'owner-not-restored': 'Sie gehört jetzt dir: Ihr Besitzer ließ sich nicht wiederherstellen.',
    'mode-not-restored': 'Ihre Rechte ließen sich nicht wiederherstellen.',
    'time-not-restored': 'Ihr Datum ließ sich nicht wiederherstellen.',
    'attribute-not-restored': 'Eines ihrer erweiterten Attribute ließ sich nicht wiederherstellen.',
    chunk_missing: 'Ein Teil davon fehlt am Ziel.',
    chunk_tampered: 'Ein Teil davon wurde am Ziel verändert, deshalb wurde sie nicht wiederhergestellt.',
    chunk_corrupt: 'Ein Teil davon ist am Ziel beschädigt.',
    file_size_mismatch: 'Sie hat nicht die Größe, die sie bei der Sicherung hatte.',
    tree_invalid: 'Der Eintrag im Wiederherstellungspunkt ist unvollständig oder wurde verändert.',
    'tree_invalid:entry-missing': 'Der Wiederherstellungspunkt enthält das nicht.',
    'tree_invalid:missing': 'Sie fehlt, deshalb beweist nichts, was gesichert wurde.',
    'tree_invalid:unproven': 'Es gibt schon eine Datei mit diesem Namen. Etwas, das nichts beweist, ersetzt sie nicht.',
    'tree_invalid:ENOTDIR': 'Sie steht unter etwas, das kein Ordner ist.',
    service_answer_suspicious: 'Der Dienst hat ältere oder andere Daten gesendet, als die Sicherung selbst beweist.',
    service_unreachable: 'Der Dienst war nicht erreichbar.',
    service_broken: 'Der Dienst hat unerwartet geantwortet.',
    service_error: 'Der Dienst konnte sie nicht liefern.',
    service_busy: 'Der Dienst war überlastet und konnte sie nicht liefern.',
    destination_missing: 'Das Ziel deiner Sicherungen war nicht mehr verbunden.',
    target_full: 'Dafür war kein Speicherplatz mehr frei.',
    target_unwritable: 'Sie ließ sich nicht schreiben.',
    'target_unwritable:EACCES': 'Du darfst dort nicht schreiben.',
    'target_unwritable:EPERM': 'Du darfst dort nicht schreiben.',
    'target_unwritable:EROFS': 'Das Laufwerk dort ist schreibgeschützt.',
    'target_unwritable:ENAMETOOLONG': 'Ihr Name ist für das Laufwerk dort zu lang.',
    'target_unwritable:EISDIR': 'An ihrer Stelle liegt ein Ordner mit demselben Namen.',
    'target_unwritable:ENOTDIR': 'An der Stelle ihres Ordners liegt eine Datei.',
    'target_unwritable:EINVAL': 'Ihr Name ist auf dem Laufwerk dort nicht erlaubt.',
    'target_unwritable:EBUSY': 'Ein anderes Programm hat sie geöffnet oder gerade geändert.',
    'target_unwritable:ELINKRIGHT':
      'Das ist eine Verknüpfung. Windows lässt nur Administratoren Verknüpfungen anlegen, es sei denn, der Entwicklermodus ist an.',
    'target_unwritable:EIO': 'Das Laufwerk dort meldet einen Fehler.',
    interrupted: 'Der Vorgang wurde angehalten, bevor sie an der Reihe war.',
  },
};
