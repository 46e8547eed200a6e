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

/** What the text depends on beside the place in the code: parts, the types of values, and the places of fragments. */
function pushShape(shape: unknown[], value: Interpolated): void {
  if (!isSpecial(value)) {
    shape.push(null);
    return;
  }
  switch (value.kind) {
    case 'part':
      shape.push(value);
      return;
    case 'typed':
    case 'list':
      shape.push(value.type);
      return;
    case 'tuples':
      shape.push(value.types);
      return;
    case 'now':
      shape.push(value.postgres);
      return;
    case 'fragment':
      shape.push(value.strings);
      for (const one of value.values) pushShape(shape, one);
      return;
    case 'joined':
      shape.push(value.by, value.fragments.length);
      for (const one of value.fragments) pushShape(shape, one);
  }
}

/** In the order of their places. */
function pushValues(engine: Engine, values: Bound[], value: Interpolated): void {
  if (!isSpecial(value)) {
    values.push(value);
    return;
  }
  switch (value.kind) {
    case 'part':
      return;
    case 'typed':
      values.push(value.value);
      return;
    case 'list':
      values.push(boundList(engine, value));
      return;
    case 'tuples':
      values.push(...boundTuples(engine, value));
      return;
    case 'now':
      if (engine === 'sqlite') values.push(value.atMs);
      return;
    case 'fragment':
      for (const one of value.values) pushValues(engine, values, one);
      return;
    case 'joined':
      for (const one of value.fragments) pushValues(engine, values, one);
  }
}

const isSame = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length === b.length && a.every((one, i) => one === b[i]);

/** Parts are constants; one that is made at each call must not be remembered for ever. */
const SHAPES_MAX = 40;

/**
 * A statement as an engine reads it. Its text is made once for each place in the code and each shape it takes there.
 */
export function makeRender(engine: Engine): (statement: Statement) => Rendered {
  const known = new WeakMap<TemplateStringsArray, { readonly shape: readonly unknown[]; readonly text: string }[]>();
  return (statement) => {
    const { strings, values: given } = statement;
    let kept = known.get(strings);
    if (kept === undefined) known.set(strings, (kept = []));
    const shape: unknown[] = [];
    for (const one of given) pushShape(shape, one);
    const before = kept.find((one) => isSame(one.shape, shape));
    if (before !== undefined) {
      const values: Bound[] = [];
      for (const one of given) pushValues(engine, values, one);
      return { text: before.text, values };
    }
    const made = render(engine, statement);
    if (kept.length < SHAPES_MAX) kept.push({ shape, text: made.text });
    return made;
  };
}
