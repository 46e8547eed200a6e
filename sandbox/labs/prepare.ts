import { blobsOf, leadersOf, letterHeightOf } from './components.ts';
import { despeckled, flattened, skewOf, turned, withoutRules, type Picture } from './picture.ts';

/** The height of a small letter that the recogniser reads best. */
const LETTER = 23;
const SCALE_MAX = 3;
const PIXELS_MAX = 24_000_000;

/** Null where there is nothing on it that could be letters. */
export function prepare(scan: Picture): Picture | null {
  const clean = flattened(despeckled(scan));
  const letter = letterHeightOf(blobsOf(clean), clean.height);
  if (letter === 0) return null;
  const room = Math.sqrt(PIXELS_MAX / (scan.width * scan.height));
  const scale = Math.min(SCALE_MAX, room, Math.max(0.4, LETTER / letter));
  const straight = withoutRules(turned(clean, scale, skewOf(clean)), LETTER);
  const data = straight.data.slice();
  for (const { x0, x1, y0, y1 } of leadersOf(blobsOf(straight, 190), LETTER))
    for (let y = Math.max(0, y0 - 1); y < Math.min(straight.height, y1 + 1); y += 1)
      data.fill(255, y * straight.width + Math.max(0, x0 - 1), y * straight.width + Math.min(straight.width, x1 + 1));
  return { ...straight, data };
}
