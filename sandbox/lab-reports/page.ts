export type Font = 'sans' | 'serif' | 'mono';

/** One thing on a page. Points from the top left corner; `y` of a text is its base line. */
export type Drawn =
  | {
      readonly kind: 'text';
      readonly x: number;
      readonly y: number;
      readonly text: string;
      readonly size: number;
      readonly font: Font;
      readonly weight: 'plain' | 'bold';
      readonly align: 'left' | 'right';
      /** Dots follow up to there. */
      readonly leaderTo: number | null;
    }
  | {
      readonly kind: 'line';
      readonly x0: number;
      readonly y0: number;
      readonly x1: number;
      readonly y1: number;
      readonly width: number;
    }
  /** `grey`: 0 is black. */
  | {
      readonly kind: 'box';
      readonly x: number;
      readonly y: number;
      readonly w: number;
      readonly h: number;
      readonly grey: number;
    };

export interface Page {
  readonly width: number;
  readonly height: number;
  readonly drawn: readonly Drawn[];
}

export interface Pen {
  /** Where the next line goes. */
  y: number;
  text(
    x: number,
    text: string,
    more?: { weight?: 'bold'; size?: number; align?: 'right'; leaderTo?: number; y?: number },
  ): void;
  line(x0: number, y0: number, x1: number, y1: number, width?: number): void;
  box(x: number, y: number, w: number, h: number, grey: number): void;
  /** Goes on with a new page where less than `height` is left. */
  need(height: number): void;
  /** The same on a page of its own. */
  readonly pages: () => readonly Page[];
}

const WIDTH = 612;
const HEIGHT = 792;
const TOP = 48;
const BOTTOM = 740;

/** Draws from top to bottom. */
export function makePen(font: Font, size: number): Pen {
  const pages: Drawn[][] = [[]];
  const put = (one: Drawn): void => void pages.at(-1)?.push(one);
  const pen: Pen = {
    y: TOP,
    text(x, text, more = {}) {
      if (text === '') return;
      const { weight = 'plain', align = 'left', leaderTo = null } = more;
      put({ kind: 'text', x, y: more.y ?? pen.y, text, size: more.size ?? size, font, weight, align, leaderTo });
    },
    line: (x0, y0, x1, y1, width = 0.7) => put({ kind: 'line', x0, y0, x1, y1, width }),
    box: (x, y, w, h, grey) => put({ kind: 'box', x, y, w, h, grey }),
    need(height) {
      if (pen.y + height <= BOTTOM) return;
      pages.push([]);
      pen.y = TOP;
    },
    pages: () => pages.map((drawn) => ({ width: WIDTH, height: HEIGHT, drawn })),
  };
  return pen;
}
