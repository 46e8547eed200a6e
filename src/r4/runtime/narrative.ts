import { flag, type Context } from './context.ts';

/** https://hl7.org/fhir/R4/narrative.html#xhtml: HTML 4.0 chapters 7-11 (without 9.4) and 15, links, images, styles. */
const ELEMENTS = new Set(
  (
    'div h1 h2 h3 h4 h5 h6 address bdo span p br hr pre ins del ' +
    'em strong dfn code samp kbd var cite abbr acronym blockquote q sub sup ' +
    'ul ol li dl dt dd table caption thead tbody tfoot colgroup col tr th td ' +
    'tt i b big small a img map area style'
  ).split(' '),
);

const COMMON = 'title style class id lang xml:lang xml:space dir xmlns align';
const OWN: Readonly<Record<string, string>> = {
  a: 'href name hreflang type rel rev charset shape coords accesskey tabindex',
  img: 'src alt longdesc height width name usemap ismap border',
  map: 'name',
  area: 'shape coords href nohref alt accesskey tabindex',
  table: 'summary width border frame rules cellspacing cellpadding bgcolor',
  col: 'span width char charoff valign',
  colgroup: 'span width char charoff valign',
  thead: 'char charoff valign',
  tbody: 'char charoff valign',
  tfoot: 'char charoff valign',
  tr: 'char charoff valign bgcolor',
  th: 'abbr axis headers scope rowspan colspan char charoff valign width height nowrap bgcolor',
  td: 'abbr axis headers scope rowspan colspan char charoff valign width height nowrap bgcolor',
  ol: 'type start compact',
  ul: 'type compact',
  li: 'type value',
  hr: 'size width noshade',
  br: 'clear',
  pre: 'width',
  blockquote: 'cite',
  q: 'cite',
  ins: 'cite datetime',
  del: 'cite datetime',
  style: 'type media',
};

const words = (text: string): string[] => (text === '' ? [] : text.split(' '));
const ALLOWED = new Map([...ELEMENTS].map((name) => [name, new Set([...words(COMMON), ...words(OWN[name] ?? '')])]));
const VOID = new Set(['br', 'hr', 'img', 'col', 'area']);
const LINKS = new Set(['href', 'src', 'cite', 'longdesc', 'usemap']);

const TAG_NAME = /<(\/?)([A-Za-z][\w:.-]{0,60})/y;
const ATTRIBUTE_NAME = /\s+([A-Za-z_][\w:.-]{0,60})\s*=\s*(["'])/y;
const LINK_START = 200;
const STRAY_AMPERSAND = /&(?!(?:[A-Za-z][A-Za-z0-9]*|#\d+|#x[0-9A-Fa-f]+);)/;
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

interface Reading {
  readonly fault: string | null;
  readonly hasContent: boolean;
}

function readNarrative(div: string): Reading {
  const open: string[] = [];
  let hasContent = false;
  let at = 0;
  const stop = (fault: string): Reading => ({ fault, hasContent });
  const end = div.trimEnd().length;
  at = div.length - div.trimStart().length;
  let isFirst = true;
  while (at < end) {
    if (div.charCodeAt(at) !== 60) {
      const next = div.indexOf('<', at);
      const text = div.slice(at, next === -1 ? end : next);
      if (open.length === 0) return stop('text stands outside the <div>');
      if (STRAY_AMPERSAND.test(text)) return stop('a bare & is not XHTML');
      if (!hasContent && open.at(-1) !== 'style' && /[^\s\u00a0]/.test(text.replaceAll(/&(?:nbsp|#160|#xa0);/gi, '')))
        hasContent = true;
      if (open.at(-1) === 'style' && !isSafeStyle(text)) return stop('the style sheet is not allowed');
      at = next === -1 ? end : next;
      continue;
    }
    if (div.startsWith('<!--', at)) {
      const close = div.indexOf('-->', at + 4);
      if (close === -1) return stop('a comment is not closed');
      at = close + 3;
      continue;
    }
    TAG_NAME.lastIndex = at;
    const tag = TAG_NAME.exec(div);
    const close = tag === null ? -1 : endOfTag(div, TAG_NAME.lastIndex);
    if (tag === null || close === -1) return stop('a tag is not well formed');
    const name = tag[2] ?? '';
    const rest = div.slice(TAG_NAME.lastIndex, close);
    at = close + 1;
    if (!isFirst && open.length === 0) return stop('there is more than one root element');
    if (tag[1] === '/') {
      if (open.pop() !== name || rest.trim() !== '') return stop(`</${name}> closes nothing`);
      continue;
    }
    if (isFirst && name !== 'div') return stop('the root element is not <div>');
    if (!ELEMENTS.has(name)) return stop(`<${name}> is not allowed`);
    const isClosed = rest.endsWith('/');
    const attributes = isClosed ? rest.slice(0, -1) : rest;
    const fault = faultOfAttributes(name, attributes);
    if (fault !== null) return stop(fault);
    if (isFirst && !/\sxmlns\s*=/.test(attributes)) return stop(`the <div> lacks xmlns="${NAMESPACE}"`);
    isFirst = false;
    if (name === 'img') hasContent = true;
    if (!isClosed) open.push(name);
    else if (!VOID.has(name) && name === 'style') return stop('an empty style sheet');
    if (open.length > DEPTH_MAX) return stop(`it is nested deeper than ${DEPTH_MAX}`);
  }
  if (open.length > 0) return stop(`<${open.at(-1) ?? ''}> is not closed`);
  return isFirst ? stop('it holds no <div>') : { fault: null, hasContent };
}

/** txt-1 and txt-2: the one place of a resource that a browser may render. */
export function checkNarrative(div: unknown, c: Context, path: string): boolean {
  if (typeof div !== 'string') return true;
  const { fault, hasContent } = readNarrative(div);
  if (fault !== null) return flag(c, 'txt-1', path, `Narrative must be safe XHTML: ${fault}.`);
  return hasContent || flag(c, 'txt-2', path, 'Narrative must have content: text or an image.');
}
