import type { Engine, Interpolated, Statement, Value } from './statement.ts';

/** A value as it goes to the engine; a list is one value. */
export type Bound = Value | readonly (string | number | Uint8Array)[] | readonly (readonly (string | number)[])[];

export interface Rendered {
  readonly text: string;
  readonly values: readonly Bound[];
}

type Special = Exclude<Interpolated, Value>;
type OfKind<Kind extends Special['kind']> = Extract<Special, { readonly kind: Kind }>;

const isSpecial = (value: Interpolated): value is Special =>
  typeof value === 'object' && value !== null && !(value instanceof Uint8Array);

const bytesOf = (hex: string | number): Uint8Array => Buffer.from(String(hex), 'hex');

/** SQLite has no arrays, and is given JSON, which has no bytes: those stay in hex until they are compared. */
const boundList = (engine: Engine, { type, values }: OfKind<'list'>): Bound =>
  engine === 'postgres' && type === 'bytea' ? values.map(bytesOf) : values;

/** One value with all rows for SQLite; one for each column for PostgreSQL. */
function boundTuples(engine: Engine, { types, rows }: OfKind<'tuples'>): Bound[] {
  if (engine === 'sqlite') return [rows];
  return types.map((type, i) => {
    const values = rows.map((row) => row[i] ?? '');
    return type === 'bytea' ? values.map(bytesOf) : values;
  });
}

/** Writes the text from its left to its right, and numbers its places. */
function makeWriter(engine: Engine) {
  let text = '';
  const values: Bound[] = [];
  const place = (value: Bound): string => {
    values.push(value);
    return engine === 'sqlite' ? '?' : `$${values.length}`;
  };

  function writeValue(value: Interpolated): void {
    if (!isSpecial(value)) {
      text += place(value);
      return;
    }
    switch (value.kind) {
      case 'part':
        text += value[engine];
        return;
      case 'typed':
        text += engine === 'sqlite' ? place(value.value) : `${place(value.value)}::${value.type}`;
        return;
      case 'now':
        text += engine === 'sqlite' ? place(value.atMs) : value.postgres;
        return;
      case 'list': {
        const at = place(boundList(engine, value));
        const one = value.type === 'bytea' ? 'unhex(value)' : 'value';
        text += engine === 'sqlite' ? `IN (SELECT ${one} FROM json_each(${at}))` : `= ANY(${at}::${value.type}[])`;
        return;
      }
      case 'tuples': {
        const [at = '', ...more] = boundTuples(engine, value).map(place);
        const arrays = [at, ...more].map((array, i) => `${array}::${value.types[i] ?? ''}[]`);
        const columns = value.types.map((type, i) => (type === 'bytea' ? `unhex(value ->> ${i})` : `value ->> ${i}`));
        text +=
          engine === 'sqlite'
            ? `IN (SELECT ${columns.join(', ')} FROM json_each(${at}))`
            : `IN (SELECT * FROM unnest(${arrays.join(', ')}))`;
        return;
      }
      case 'fragment':
        write(value.strings, value.values);
        return;
      case 'joined':
        value.fragments.forEach((one, i) => {
          if (i > 0) text += value.by;
          write(one.strings, one.values);
        });
    }
  }

  function write(strings: readonly string[], given: readonly Interpolated[]): void {
    strings.forEach((piece, i) => {
      text += piece;
      if (i < given.length) writeValue(given[i] as Interpolated);
    });
  }

  return { write, done: (): Rendered => ({ text, values }) };
}

function render(engine: Engine, { strings, values }: Statement): Rendered {
  const writer = makeWriter(engine);
  writer.write(strings, values);
  return writer.done();
}

/** What the text depends on beside the place in the code: the parts themselves, and the types of values. */
function shapeOf(value: Interpolated): unknown {
  if (!isSpecial(value)) return null;
  switch (value.kind) {
    case 'part':
      return value;
    case 'typed':
    case 'list':
      return value.type;
    case 'tuples':
      return value.types;
    case 'now':
      return value.postgres;
    case 'fragment':
    case 'joined':
      return undefined;
  }
}

/** The values of a statement without fragments, in the order of their places. */
function valuesOf(engine: Engine, given: readonly Interpolated[]): Bound[] {
  const values: Bound[] = [];
  for (const value of given) {
    if (!isSpecial(value)) values.push(value);
    else if (value.kind === 'typed') values.push(value.value);
    else if (value.kind === 'list') values.push(boundList(engine, value));
    else if (value.kind === 'tuples') values.push(...boundTuples(engine, value));
    else if (value.kind === 'now' && engine === 'sqlite') values.push(value.atMs);
  }
  return values;
}

/** Parts are constants; one that is made at each call must not be remembered for ever. */
const SHAPES_MAX = 20;

/**
 * A statement as an engine reads it. Its text is made once for each place in the code and each shape that it takes
 * there; one that is put together from fragments is made anew each time.
 */
export function makeRender(engine: Engine): (statement: Statement) => Rendered {
  const known = new WeakMap<TemplateStringsArray, { readonly shape: readonly unknown[]; readonly text: string }[]>();
  return (statement) => {
    const { strings, values: given } = statement;
    let kept = known.get(strings);
    if (kept === undefined) known.set(strings, (kept = []));
    for (const { shape, text } of kept)
      if (given.every((value, i) => shapeOf(value) === shape[i])) return { text, values: valuesOf(engine, given) };
    const made = render(engine, statement);
    const shape = given.map(shapeOf);
    if (!shape.includes(undefined) && kept.length < SHAPES_MAX) kept.push({ shape, text: made.text });
    return made;
  };
}
