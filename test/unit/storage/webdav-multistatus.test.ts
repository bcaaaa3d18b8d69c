import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { davEntries, spaceOf } from '../../../src/storage/webdav/multistatus.ts';
import { XmlError, xmlEvents } from '../../../src/storage/webdav/xml-elements.ts';

const found = 'HTTP/1.1 200 OK';

describe('a multistatus document', () => {
  test('has files and folders, whatever the prefixes of its namespaces', () => {
    const document = `\u{feff}<?xml version="1.0" encoding="utf-8"?>
      <!-- written by hand -->
      <multistatus xmlns="DAV:" xmlns:x='urn:x'>
        <response>
          <href>/a%20b/?c=d&amp;e=&#233;&#xE9;</href>
          <propstat><prop><resourcetype><collection/></resourcetype></prop><status>${found}</status></propstat>
        </response>
        <D:response xmlns:D="DAV:">
          <D:href><![CDATA[/file&]]></D:href>
          <D:propstat>
            <D:prop><D:resourcetype/><D:getcontentlength> 12 </D:getcontentlength><x:getlastmodified>no</x:getlastmodified></D:prop>
            <D:status>${found}</D:status>
          </D:propstat>
          <D:propstat><D:prop><D:getlastmodified>Sun, 22 Nov 2026 10:00:00 GMT</D:getlastmodified></D:prop>
            <D:status>HTTP/1.1 404 Not Found</D:status></D:propstat>
        </D:response>
      </multistatus>`;
    const unknown = { bytes: undefined, modified: undefined, available: undefined, used: undefined };
    expect([...davEntries(document)]).toEqual([
      { ...unknown, href: '/a%20b/?c=d&e=éé', isFolder: true },
      { ...unknown, href: '/file&', isFolder: false, bytes: 12 },
    ]);
  });

  test.each([
    ['<quota-available-bytes>5</quota-available-bytes><quota-used-bytes>7</quota-used-bytes>', { total: 12, free: 5 }],
    ['<quota-available-bytes>0</quota-available-bytes>', { total: 0, free: 0 }],
    // Of Nextcloud, for a folder without a quota.
    ['<quota-available-bytes>-3</quota-available-bytes><quota-used-bytes>7</quota-used-bytes>', undefined],
    ['<quota-used-bytes>7</quota-used-bytes>', undefined],
    [`<quota-available-bytes>${'9'.repeat(30)}</quota-available-bytes>`, undefined],
  ])('says of %s how much space a quota leaves', (properties, space) => {
    const document = `<multistatus xmlns="DAV:"><response><href>/</href><propstat><prop>${properties}</prop>
      <status>${found}</status></propstat></response></multistatus>`;
    expect([...davEntries(document)].map(spaceOf)).toEqual([space]);
  });

  test.each([
    ['a document type', '<!DOCTYPE a><a/>'],
    ['an entity of its own', '<a>&own;</a>'],
    ['a bare ampersand', '<a>&</a>'],
    ['a code point that does not exist', '<a>&#x110000;</a>'],
    ['tags that are not nested', '<a><b></a></b>'],
    ['an unclosed tag', '<a'],
    ['an unclosed comment', '<a><!-- '],
    ['an unclosed CDATA section', '<a><![CDATA[x</a>'],
    ['two documents', '<a/><b/>'],
    ['text around it', '<a/>text'],
    ['33 levels', `${'<a>'.repeat(33)}${'</a>'.repeat(33)}`],
    ['an attribute without quotes', '<a b=c/>'],
    ['nothing', ' '],
  ])('is refused with %s', (_, document) => {
    expect(() => [...xmlEvents(document)]).toThrow(XmlError);
  });

  test('may have 32 levels', () => {
    expect([...xmlEvents(`${'<a>'.repeat(32)}${'</a>'.repeat(32)}`)]).toHaveLength(64);
  });

  test('is read in linear time and fails with an XmlError only, whatever it contains', () => {
    const piece = fc.constantFrom(
      '<',
      '>',
      '/',
      'a',
      ' ',
      '="',
      '"',
      '&',
      ';',
      '<!--',
      '-->',
      '<![CDATA[',
      ']]>',
      '<a',
      '/>',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        try {
          expect([...xmlEvents(pieces.join(''))].length).toBeGreaterThan(0);
        } catch (error) {
          expect(error).toBeInstanceOf(XmlError);
        }
      }),
    );
    const long = [`<a ${'b="c" '.repeat(200_000)}`, `<a${' '.repeat(200_000)}`, `<a ${'x'.repeat(200_000)}`];
    for (const document of long) expect(() => [...xmlEvents(document)]).toThrow(XmlError);
  });
});
