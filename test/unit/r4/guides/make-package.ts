import { gzipSync } from 'node:zlib';

/** One entry of a test archive. What is not said is as an honest archive has it. */
export interface TarEntry {
  readonly name: string;
  readonly content?: string | Uint8Array;
  readonly type?: string;
  /** Written into the header instead of the size of the content, as octal digits or as binary. */
  readonly size?: number;
  readonly sizeForm?: 'octal' | 'binary';
  readonly checksum?: 'right' | 'wrong';
}

const BLOCK = 512;

function sizeField(size: number, form: 'octal' | 'binary'): Buffer {
  if (form === 'octal') return Buffer.from(`${size.toString(8).padStart(11, '0')}\0`);
  const field = Buffer.alloc(12);
  field.writeBigUInt64BE(BigInt(size), 4);
  field[0] = 0x80;
  return field;
}

export function makeTarEntry({ name, content = '', type = '0', sizeForm = 'octal', ...more }: TarEntry): Buffer {
  const body = Buffer.from(content);
  const header = Buffer.alloc(BLOCK);
  header.write(name, 0, 100, 'utf8');
  header.write('0000644\0', 100);
  sizeField(more.size ?? body.length, sizeForm).copy(header, 124);
  header.write('        ', 148);
  header.write(type, 156);
  header.write('ustar\x0000', 257);
  const sum = header.reduce((total, byte) => total + byte, 0) + (more.checksum === 'wrong' ? 1 : 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return Buffer.concat([header, body, Buffer.alloc((BLOCK - (body.length % BLOCK)) % BLOCK)]);
}

export const END_MARK = Buffer.alloc(2 * BLOCK);

export const makeTar = (entries: readonly TarEntry[]): Buffer =>
  Buffer.concat([...entries.map(makeTarEntry), END_MARK]);

/** The record that gives the next entry a longer name, or a larger size, in the way of POSIX. */
export function paxEntry(records: Readonly<Record<string, string>>): TarEntry {
  const lines = Object.entries(records).map(([key, value]) => {
    const rest = ` ${key}=${value}\n`;
    let length = Buffer.byteLength(rest) + 1;
    while (String(length).length + Buffer.byteLength(rest) !== length) length++;
    return `${length}${rest}`;
  });
  return { name: 'PaxHeader', type: 'x', content: lines.join('') };
}

export const gnuLongName = (name: string): TarEntry => ({ name: '././@LongLink', type: 'L', content: `${name}\0` });

export const MANIFEST = { name: 'site.guide', version: '1.2.3', fhirVersions: ['4.0.1'], dependencies: { a: '1.0.0' } };

/** A package with these files, each an object or a text, and the manifest unless another one is given. */
export function makePackage(
  files: Readonly<Record<string, unknown>>,
  manifest: unknown = MANIFEST,
  more: readonly TarEntry[] = [],
): Buffer {
  const entries = Object.entries({ 'package/package.json': manifest, ...files }).flatMap(([name, content]) =>
    content === undefined
      ? []
      : [{ name, content: typeof content === 'string' ? content : JSON.stringify(content) } satisfies TarEntry],
  );
  return gzipSync(makeTar([...entries, ...more]));
}

export const aStructure = (url: string, more: object = {}): object => ({
  resourceType: 'StructureDefinition',
  url,
  name: 'Test',
  status: 'active',
  fhirVersion: '4.0.1',
  kind: 'resource',
  abstract: false,
  type: 'Patient',
  baseDefinition: 'http://hl7.org/fhir/StructureDefinition/Patient',
  derivation: 'constraint',
  ...more,
});

export const aValueSet = (url: string, more: object = {}): object => ({
  resourceType: 'ValueSet',
  url,
  status: 'active',
  ...more,
});

export const aCodeSystem = (url: string, more: object = {}): object => ({
  resourceType: 'CodeSystem',
  url,
  status: 'active',
  content: 'complete',
  caseSensitive: true,
  ...more,
});
