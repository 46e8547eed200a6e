import { flag, type Context } from './context.ts';
import { findLooseLink } from './narrative-links.ts';
import { show } from './say.ts';

/** https://hl7.org/fhir/R4/narrative.html#xhtml: HTML 4.0 chapters 7-11 (without 9.4) and 15, links and images. */
const ELEMENTS = new Set(
  (
    'div h1 h2 h3 h4 h5 h6 address bdo span p br hr pre ' +
    'em strong dfn code samp kbd var cite abbr acronym blockquote q sub sup ' +
    'ul ol li dl dt dd table caption thead tbody tfoot colgroup col tr th td ' +
    'tt i b big small a img map area'
  ).split(' '),
);

/** Attributes that HTML 4 does not deprecate, and the few deprecated ones that the official validator takes. */
const COMMON =
  'title style class id lang xml:lang xml:space dir xmlns accesskey tabindex ' +
  'span width align valign char charoff abbr axis headers scope rowspan colspan';
const OWN: Readonly<Record<string, string>> = {
  a: 'href name hreflang type rel rev charset shape coords',
  img: 'src alt longdesc height width usemap ismap border',
  map: 'name',
  area: 'shape coords href nohref alt',
  table: 'summary border frame rules cellspacing cellpadding',
  td: 'nowrap',
  blockquote: 'cite',
  q: 'cite',
};

/** What HTML 4 lets stand directly in these; text only in the last, which hold none of the above. */
const CHILDREN: Readonly<Record<string, string>> = {
  table: 'tbody tr caption thead tfoot col colgroup',
  tr: 'td th',
  tbody: 'tr',
  thead: 'tr',
  tfoot: 'tr',
  ul: 'li',
  ol: 'li',
  dl: 'dt dd',
  map: 'area',
  br: '',
  hr: '',
  img: '',
  area: '',
  col: '',
};
/** These stand nowhere else than where CHILDREN has them; a col also in a colgroup. */
const PLACED = new Set('tr tbody thead tfoot caption colgroup td th li dt dd'.split(' '));
/** Inside these there is text and what marks it up, however deep, and no block. */
const TEXT_ONLY = new Set(
  (
    'p h1 h2 h3 h4 h5 h6 pre address a b em i strong small big sub sup code tt dfn q var abbr acronym cite bdo kbd ' +
    'samp span caption dt'
  ).split(' '),
);
const BLOCKS = new Set('div pre table ul ol'.split(' '));
const NOT_IN_PARAGRAPH = new Set('p blockquote'.split(' '));

const words = (text: string): string[] => (text === '' ? [] : text.split(' '));
const ALLOWED = new Map([...ELEMENTS].map((name) => [name, new Set([...words(COMMON), ...words(OWN[name] ?? '')])]));
const ONLY = new Map(Object.entries(CHILDREN).map(([name, text]) => [name, new Set(words(text))]));
const LINKS = new Set(['href', 'src', 'cite', 'longdesc', 'usemap']);

const TAG_NAME = /<(\/?)([A-Za-z][\w:.-]{0,60})/y;
const ATTRIBUTE_NAME = /\s+([A-Za-z_][\w:.-]{0,60})\s*=\s*(["'])/y;
const LINK_START = 200;
/** XML's own five entities and numbers: XHTML in FHIR has no document type that could define others. */
const STRAY_AMPERSAND = /&(?!(?:amp|lt|gt|quot|apos|#\d{1,7}|#x[0-9A-Fa-f]{1,6});)/;
const NAMESPACE = 'http://www.w3.org/1999/xhtml';
const DEPTH_MAX = 200;

/** A link may lead to the web, to mail, into the narrative or its resource; a data: link only to an image. */
function isSafeLink(element: string, value: string): boolean {
  const start = value.slice(0, LINK_START);
  // An entity before the first / ? or # could spell a scheme that this would not see.
  if (/^[^/?#]*&/.test(start)) return false;
  const plain = start.replaceAll(/[\u0000-\u0020]/g, '');
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(plain)?.[1]?.toLowerCase();
  if (scheme === undefined) return true;
  if (scheme === 'data') return element === 'img' && /^data:image\//i.test(plain);
  return !['javascript', 'vbscript', 'file', 'jar'].includes(scheme);
}

const isSafeStyle = (value: string): boolean =>
  !/expression\s*\(|javascript:|vbscript:|behavior\s*:|-moz-binding|@import|\\|url\s*\(\s*['"]?\s*data:(?!\s*image\/)/i.test(
    value,
  );

/** Why the attributes of one tag are unsafe or malformed; null when they are not. */
function faultOfAttributes(element: string, text: string): string | null {
  const allowed = ALLOWED.get(element);
  const seen = new Set<string>();
  let at = 0;
  for (;;) {
    ATTRIBUTE_NAME.lastIndex = at;
    const match = ATTRIBUTE_NAME.exec(text);
    const close = match === null ? -1 : text.indexOf(match[2] ?? '', ATTRIBUTE_NAME.lastIndex);
    if (match === null || close === -1) break;
    const name = match[1] ?? '';
    const value = text.slice(ATTRIBUTE_NAME.lastIndex, close);
    at = close + 1;
    if (allowed?.has(name) !== true) return `the attribute ${name} is not allowed in <${element}>`;
    if (seen.has(name)) return `the attribute ${name} is repeated in <${element}>`;
    seen.add(name);
    if (STRAY_AMPERSAND.test(value) || value.includes('<')) return `the attribute ${name} is not well formed`;
    if (name === 'xmlns' && value !== NAMESPACE) return `the namespace ${value} is not XHTML`;
    if (LINKS.has(name) && !isSafeLink(element, value)) return `the link in ${name} of <${element}> is not allowed`;
    if (name === 'style' && !isSafeStyle(value)) return `the style of <${element}> is not allowed`;
  }
  return text.slice(at).trim() === '' ? null : `the tag <${element}> is not well formed`;
}

/** Where the tag that begins before `from` ends, leaving quoted text alone; -1 when it does not. */
function endOfTag(div: string, from: number): number {
  for (let i = from; i < div.length; i++) {
    const char = div.charCodeAt(i);
    if (char === 62) return i;
    if (char === 60) return -1;
    if (char === 34 || char === 39) {
      i = div.indexOf(div.charAt(i), i + 1);
      if (i === -1) return -1;
    }
  }
  return -1;
}

/** Where the reading of a narrative stands. */
interface Reader {
  readonly div: string;
  readonly end: number;
  readonly open: string[];
  at: number;
  hasRoot: boolean;
  hasContent: boolean;
  /** How many of the open elements hold text only, and how many are paragraphs or links. */
  texts: number;
  paragraphs: number;
  links: number;
}

/** Why an element must not stand where it does; null when it may. */
function faultOfPlace(reader: Reader, name: string): string | null {
  const inside = reader.open.at(-1) ?? '';
  const only = ONLY.get(inside);
  if (only === undefined ? PLACED.has(name) && reader.hasRoot : !only.has(name))
    return `<${name}> must not stand in <${inside}>`;
  if (reader.texts > 0 && BLOCKS.has(name)) return `<${name}> must not stand inside of text`;
  if (reader.paragraphs > 0 && NOT_IN_PARAGRAPH.has(name)) return `<${name}> must not stand in a paragraph`;
  return reader.links > 0 && name === 'a' ? '<a> must not stand in <a>' : null;
}

/** Counts an element that opens (1) or closes (-1). */
function count(reader: Reader, name: string, by: 1 | -1): void {
  if (!TEXT_ONLY.has(name)) return;
  reader.texts += by;
  if (name === 'p') reader.paragraphs += by;
  else if (name === 'a') reader.links += by;
}

const BLANKS = /&(?:#160|#xa0);/gi;

/** Space that is written as an entity is space. */
const WRITTEN_SPACE = /&#(?:9|10|13|32|x0*(?:9|a|d|20));/gi;

/** Text up to the next tag. Each of these three answers what is wrong, or null. */
function readText(reader: Reader): string | null {
  const { div, open } = reader;
  const next = div.indexOf('<', reader.at);
  const text = div.slice(reader.at, next === -1 ? reader.end : next);
  reader.at = next === -1 ? reader.end : next;
  const inside = open.at(-1);
  if (inside === undefined) return 'text stands outside the <div>';
  if (STRAY_AMPERSAND.test(text)) return 'an & that begins no entity of XML';
  if (ONLY.has(inside) && /\S/.test(text.replaceAll(WRITTEN_SPACE, ''))) return `text must not stand in <${inside}>`;
  if (!reader.hasContent && /[^\s\u00a0]/.test(text.replaceAll(BLANKS, ''))) reader.hasContent = true;
  return null;
}

function readComment(reader: Reader): string | null {
  const close = reader.div.indexOf('-->', reader.at + 4);
  if (close === -1) return 'a comment is not closed';
  reader.at = close + 3;
  return null;
}

function openElement(reader: Reader, name: string, rest: string): string | null {
  if (!reader.hasRoot && name !== 'div') return 'the root element is not <div>';
  if (!ELEMENTS.has(name)) return `<${name}> is not allowed`;
  const isClosed = rest.endsWith('/');
  const attributes = isClosed ? rest.slice(0, -1) : rest;
  const fault = faultOfPlace(reader, name) ?? faultOfAttributes(name, attributes);
  if (fault !== null) return fault;
  if (!reader.hasRoot && !/\sxmlns\s*=/.test(attributes)) return `the <div> lacks xmlns="${NAMESPACE}"`;
  reader.hasRoot = true;
  if (name === 'img') reader.hasContent = true;
  if (!isClosed) {
    reader.open.push(name);
    count(reader, name, 1);
  }
  return reader.open.length > DEPTH_MAX ? `it is nested deeper than ${DEPTH_MAX}` : null;
}

function readTag(reader: Reader): string | null {
  const { div, open } = reader;
  TAG_NAME.lastIndex = reader.at;
  const tag = TAG_NAME.exec(div);
  const start = TAG_NAME.lastIndex;
  const close = tag === null ? -1 : endOfTag(div, start);
  if (tag === null || close === -1) return 'a tag is not well formed';
  if (reader.hasRoot && open.length === 0) return 'there is more than one root element';
  const name = tag[2] ?? '';
  const rest = div.slice(start, close);
  reader.at = close + 1;
  if (tag[1] !== '/') return openElement(reader, name, rest);
  if (open.pop() !== name || rest.trim() !== '') return `</${name}> closes nothing`;
  count(reader, name, -1);
  return null;
}

function readNarrative(div: string): { readonly fault: string | null; readonly hasContent: boolean } {
  const at = div.length - div.trimStart().length;
  const end = div.trimEnd().length;
  const none = { hasRoot: false, hasContent: false, texts: 0, paragraphs: 0, links: 0 };
  const reader: Reader = { div, end, open: [], at, ...none };
  let fault: string | null = null;
  while (fault === null && reader.at < reader.end) {
    if (div.charCodeAt(reader.at) !== 60) fault = readText(reader);
    else fault = div.startsWith('<!--', reader.at) ? readComment(reader) : readTag(reader);
  }
  if (fault === null && reader.open.length > 0) fault = `<${reader.open.at(-1) ?? ''}> is not closed`;
  if (fault === null && !reader.hasRoot) fault = 'it holds no <div>';
  return { fault, hasContent: reader.hasContent };
}

/** txt-1 and txt-2: the one place of a resource that a browser may render. */
export function checkNarrative(div: unknown, c: Context, path: string): boolean {
  if (typeof div !== 'string') return true;
  const { fault, hasContent } = readNarrative(div);
  if (fault !== null) return flag(c, 'txt-1', path, `Narrative must be safe XHTML: ${fault}.`);
  if (!hasContent) return flag(c, 'txt-2', path, 'Narrative must have content: text or an image.');
  const loose = findLooseLink(div, c);
  return loose === null || flag(c, 'narrative-link', path, `Nothing in the resource has the id ${show(loose)}.`);
}
