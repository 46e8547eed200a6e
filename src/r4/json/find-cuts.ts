/** A long array of a text, and where it may be cut. `path` leads to it from the root. */
export interface Cut {
  readonly path: readonly (string | number)[];
  /** After the opening bracket. */
  readonly start: number;
  /** At the closing bracket. */
  readonly end: number;
  /** Positions of the commas between its elements. */
  readonly commas: readonly number[];
}

interface Level {
  readonly isArray: boolean;
  readonly start: number;
  readonly commas: number[];
  keyStart: number;
  keyEnd: number;
  hasCut: boolean;
}

const STEP_BYTES = 256 * 1024;

function pathOf(levels: readonly Level[], bytes: Buffer): (string | number)[] {
  return levels.map((level) =>
    level.isArray ? level.commas.length : (JSON.parse(bytes.toString('utf8', level.keyStart, level.keyEnd)) as string),
  );
}

/**
 * Finds the innermost arrays longer than `arrayBytesMin`: a Bundle's entries, a Questionnaire's items, wherever they
 * stand. Parsing their elements piece by piece is what keeps the event loop free. Yields now and then, for the same
 * reason. Malformed text gives meaningless cuts, and then the pieces do not parse.
 */
export function* findCuts(bytes: Buffer, arrayBytesMin: number): Generator<undefined, Cut[]> {
  const cuts: Cut[] = [];
  const levels: Level[] = [];
  let pause = STEP_BYTES;
  let string = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] as number;
    const level = levels.at(-1);
    if (byte === 34) {
      string = i;
      for (i++; i < bytes.length && bytes[i] !== 34; i++) if (bytes[i] === 92) i++;
    } else if (byte === 58 && level !== undefined) {
      level.keyStart = string;
      level.keyEnd = bytes.lastIndexOf(34, i) + 1;
    } else if (byte === 44) {
      if (level?.isArray === true) level.commas.push(i);
    } else if (byte === 123 || byte === 91)
      levels.push({ isArray: byte === 91, start: i + 1, commas: [], keyStart: 0, keyEnd: 2, hasCut: false });
    else if ((byte === 125 || byte === 93) && level !== undefined) {
      levels.pop();
      const isLong = level.isArray && i - level.start >= arrayBytesMin && level.commas.length > 0;
      if (isLong && !level.hasCut)
        cuts.push({ path: pathOf(levels, bytes), start: level.start, end: i, commas: level.commas });
      const outer = levels.at(-1);
      if (outer !== undefined && (level.hasCut || isLong)) outer.hasCut = true;
    }
    if (i >= pause) {
      pause = i + STEP_BYTES;
      yield undefined;
    }
  }
  return cuts;
}
