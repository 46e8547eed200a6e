import { readText } from '../read-request.ts';
import { isReply, type Asked, type Reply } from '../reply.ts';
import { wrongPage } from './html.ts';

const FORM_BYTES_MAX = 512 * 1024;

/** The fields of a plain form. A form of another site is refused: a browser says where it comes from. */
export async function readForm(asked: Asked): Promise<URLSearchParams | Reply> {
  const { origin, 'sec-fetch-site': site, 'content-type': type } = asked.request.headers;
  const isOtherSite = site !== undefined && site !== 'same-origin' && site !== 'none';
  // `null` is what a browser says for a page whose origin it keeps to itself, as ours ask it to.
  const isOtherOrigin =
    origin !== undefined &&
    origin !== 'null' &&
    !(URL.canParse(origin) && new URL(origin).host === asked.request.headers.host);
  const isForeign = isOtherSite || isOtherOrigin;
  if (isForeign) return wrongPage(403, 'Not from here', 'The form was sent from another site.');
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(type ?? ''))
    return wrongPage(415, 'Not a form', 'A form is expected here.');
  const text = await readText(asked, FORM_BYTES_MAX);
  return isReply(text) ? text : new URLSearchParams(text);
}
