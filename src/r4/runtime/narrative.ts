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

const TAG = /<(\/?)([A-Za-z][\w:.-]*)((?:[^<>"']|"[^"<]*"|'[^'<]*')*)>/y;
const ATTRIBUTE = /\s+([A-Za-z_][\w:.-]*)\s*=\s*(?:"([^"]*)"|'([^']*)')/y;
const STRAY_AMPERSAND = /&(?!(?:[A-Za-z][A-Za-z0-9]*|#\d+|#x[0-9A-Fa-f]+);)/;
const NAMESPACE = 'http://www.w3.org/1999/xhtml';
const DEPTH_MAX = 200;

/** A link may lead to the web, to mail, into the narrative or its resource; a data: link only to an image. */
function isSafeLink(element: string, value: string): boolean {
  const scheme = /^[\s\u0000-\u001f]*([A-Za-z][A-Za-z0-9+.-]*)\s*:/.exec(value.replaceAll(/&[^;]*;/g, ''))?.[1]?.toLowerCase(); // eslint-disable-line no-control-regex -- browsers skip them
  if (/&(?:#|colon|tab|newline)/i.test(value) && /^[^/?#]*&/.test(value)) return false;
  if (scheme === undefined) return true;
  if (scheme === 'data') return element === 'img' && /^\s*data:image\//i.test(value);
  return !['javascript', 'vbscript', 'file', 'jar'].includes(scheme);
}

const isSafeStyle = (value: string): boolean =>
  !/expression\s*\(|javascript:|vbscript:|behavior\s*:|-moz-binding|@import|url\s*\(\s*['"]?\s*(?!#|data:image\/)[a-z]/i.test(value);

/** Why the attributes of one tag are unsafe or malformed; null when they are not. */
function faultOfAttributes(element: string, text: string): string | null {
  const allowed = ALLOWED.get(element);
  const seen = new Set<string>();
  let at = 0;
  ATTRIBUTE.lastIndex = 0;
  for (let match = ATTRIBUTE.exec(text); match !== null; match = ATTRIBUTE.exec(text)) {
    const name = match[1] ?? '';
    const value = match[2] ?? match[3] ?? '';
    at = ATTRIBUTE.lastIndex;
    if (allowed?.has(name) !== true) return `the attribute ${name} is not allowed in <${element}>`;
    if (seen.has(name)) return `the attribute ${name} is repeated in <${element}>`;
    seen.add(name);
    if (STRAY_AMPERSAND.test(value)) return `the attribute ${name} holds a bare &`;
    if (name === 'xmlns' && value !== NAMESPACE) return `the namespace ${value} is not XHTML`;
    if (LINKS.has(name) && !isSafeLink(element, value)) return `the link in ${name} of <${element}> is not allowed`;
    if (name === 'style' && !isSafeStyle(value)) return `the style of <${element}> is not allowed`;
  }
  return /^\s*$/.test(text.slice(at)) ? null : `the tag <${element}> is not well formed`;
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
      if (!hasContent && open.at(-1) !== 'style' && /[^\s\u00a0]/.test(text.replaceAll(/&(?:nbsp|#160|#xa0);/gi, ''))) hasContent = true;
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
    TAG.lastIndex = at;
    const tag = TAG.exec(div);
    if (tag === null) return stop('a tag is not well formed');
    at = TAG.lastIndex;
    const name = tag[2] ?? '';
    const rest = tag[3] ?? '';
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
