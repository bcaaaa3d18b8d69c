/** Addresses that no webhook may reach: loopback, private, link-local, metadata, shared, special and multicast. */
const PRIVATE_IPV4 = [
  '127.0.0.1',
  '127.255.255.254',
  '0.0.0.0',
  '0.1.2.3',
  '10.0.0.1',
  '10.255.255.255',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.0.1',
  '192.168.255.255',
  '169.254.169.254',
  '169.254.170.2',
  '100.64.0.1',
  '100.100.100.200',
  '192.0.0.192',
  '192.0.2.1',
  '198.18.0.1',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
];

const PRIVATE_IPV6 = [
  '::',
  '::1',
  '0:0:0:0:0:0:0:1',
  '0000:0000:0000:0000:0000:0000:0000:0001',
  '::2',
  'fe80::1',
  'febf::1',
  'fec0::1',
  'fc00::1',
  'fd00:ec2::254',
  'fd12:3456:789a::1',
  'ff01::1',
  'ff02::1',
  'ff0e::1',
  '100::1',
  '2001:db8::1',
  '2001:2::1',
  '2001:10::1',
  '3fff::1',
  '5f00::1',
  '4000::1',
  '8000::1',
];

/** Every URL once; `port` has a listener on all loopback addresses. */
export function hostileUrls(port: number): readonly string[] {
  const hosts = [
    ...PRIVATE_IPV4.flatMap(ipv4Spellings),
    ...PRIVATE_IPV4.flatMap(ipv6Carriers).map(bracketed),
    ...PRIVATE_IPV6.flatMap((address) => [bracketed(address), bracketed(address.toUpperCase())]),
    'localhost',
    'LOCALHOST',
    'ｌｏｃａｌｈｏｓｔ',
    '[::1%25lo]',
    '[::1%lo]',
    '[127.0.0.1]',
  ];
  const urls = hosts.flatMap((host) => [`http://${host}:${port}/`, `https://${host}:${port}/`]);
  const loopback = `127.0.0.1:${port}`;
  const disguised = [
    `http://user@${loopback}/`,
    `http://user:password@${loopback}/`,
    `http://:password@${loopback}/`,
    `http://example.com@${loopback}/`,
    `http://example.com:80@${loopback}/`,
    `http://example.com%2f@${loopback}/`,
    `http://93.184.215.14#@${loopback}/`,
    `http://${loopback}\\@example.com/`,
    `http://${loopback}#@example.com/`,
    `http://${loopback}?@example.com/`,
    `http:\\\\${loopback}\\`,
    `http:/${loopback}/`,
    `http:${loopback}/`,
    ` http://${loopback}/`,
    `ht\ttp://127.0.\n0.1:${port}/`,
    `http://127.0.0.1\t:${port}/`,
    `HTTP://${loopback}/`,
    `//${loopback}/`,
    loopback,
    '',
    `ftp://${loopback}/`,
    `ws://${loopback}/`,
    `gopher://${loopback}/_x`,
    `dict://${loopback}/`,
    `ldap://${loopback}/`,
    'file:///etc/passwd',
    'file://localhost/etc/passwd',
    'data:text/plain,x',
    'javascript:alert(1)',
    `unix:/run/docker.sock`,
    `http+unix://%2Frun%2Fdocker.sock/`,
    `jar:http://${loopback}/!/`,
    `blob:http://${loopback}/x`,
    `http://${loopback}/${'a'.repeat(2_100)}`,
  ];
  return [...new Set([...urls, ...disguised])];
}

/** Spellings of one address that parsers interpret differently. */
function ipv4Spellings(address: string): string[] {
  const bytes = address.split('.').map(Number) as [number, number, number, number];
  const [a, b, c, d] = bytes;
  const whole = ((a * 256 + b) * 256 + c) * 256 + d;
  const octal = bytes.map((byte) => `0${byte.toString(8)}`);
  const hex = bytes.map((byte) => `0x${byte.toString(16)}`);
  return [
    address,
    `${address}.`,
    String(whole),
    `0x${whole.toString(16)}`,
    `0X${whole.toString(16).padStart(12, '0').toUpperCase()}`,
    `0${whole.toString(8)}`,
    octal.join('.'),
    octal.map((byte) => `000${byte}`).join('.'),
    hex.join('.'),
    [hex[0], octal[1], c, d].join('.'),
    `${a}.${(b * 256 + c) * 256 + d}`,
    `${a}.${b}.${c * 256 + d}`,
    address.replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
    address.replaceAll('.', '。'),
    address.replace(/\d/g, (digit) => `%3${digit}`),
  ];
}

/** IPv6 addresses that a translator maps to IPv4 addresses. */
function ipv6Carriers(address: string): string[] {
  const bytes = address.split('.').map(Number) as [number, number, number, number];
  const [a, b, c, d] = bytes;
  const high = (a * 256 + b).toString(16);
  const low = (c * 256 + d).toString(16);
  const flipped = [0xffff - (a * 256 + b), 0xffff - (c * 256 + d)].map((word) => word.toString(16)).join(':');
  return [
    `::ffff:${address}`,
    `::ffff:${high}:${low}`,
    `::${address}`,
    `::ffff:0:${address}`,
    `64:ff9b::${address}`,
    `64:ff9b::${high}:${low}`,
    `64:ff9b:1::${address}`,
    `2002:${high}:${low}::1`,
    `2001:0:${high}:${low}::`,
    `2001:0:4136:e378:8000:63bf:${flipped}`,
  ];
}

function bracketed(address: string): string {
  return `[${address}]`;
}
