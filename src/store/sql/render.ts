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

/** Parts are constants; one that is made at each call must not be remembered for ever. */
const SHAPES_MAX = 40;

interface Known {
  readonly shape: readonly unknown[];
  readonly text: string;
}

/** Walks along the shape that a statement may have, and gathers its values on the way. */
function makeFollow<Out>(engine: Engine, bind: (value: Bound) => Out) {
  let shape: readonly unknown[] = [];
  let at = 0;
  let values: Out[] = [];
  const isNext = (one: unknown): boolean => shape[at++] === one;

  /** In the order of their places. False where the shape is another one. */
  function follow(value: Interpolated): boolean {
    if (!isSpecial(value)) {
      values.push(bind(value));
      return isNext(null);
    }
    switch (value.kind) {
      case 'part':
        return isNext(value);
      case 'typed':
        values.push(bind(value.value));
        return isNext(value.type);
      case 'list':
        values.push(bind(boundList(engine, value)));
        return isNext(value.type);
      case 'tuples':
        for (const one of boundTuples(engine, value)) values.push(bind(one));
        return isNext(value.types);
      case 'now':
        if (engine === 'sqlite') values.push(bind(value.atMs));
        return isNext(value.postgres);
      case 'fragment':
        return isNext(value.strings) && value.values.every(follow);
      case 'joined':
        return isNext(value.by) && isNext(value.fragments.length) && value.fragments.every(follow);
    }
  }

  return (known: Known, given: readonly Interpolated[]): readonly Out[] | null => {
    [shape, at, values] = [known.shape, 0, []];
    for (const one of given) if (!follow(one)) return null;
    return at === shape.length ? values : null;
  };
}

/**
 * A statement as an engine reads it. Its text is made once for each place in the code and each shape it takes there.
 * `bind`: how the engine is given a value.
 */
export function makeRender<Out = Bound>(
  engine: Engine,
  bind: (value: Bound) => Out = (value) => value as Out,
): (statement: Statement) => { readonly text: string; readonly values: readonly Out[] } {
  const known = new WeakMap<TemplateStringsArray, Known[]>();
  const follow = makeFollow(engine, bind);
  return (statement) => {
    const { strings, values: given } = statement;
    let kept = known.get(strings);
    if (kept === undefined) known.set(strings, (kept = []));
    for (const one of kept) {
      const values = follow(one, given);
      if (values !== null) return { text: one.text, values };
    }
    const { text, values } = render(engine, statement);
    const shape: unknown[] = [];
    for (const one of given) pushShape(shape, one);
    if (kept.length < SHAPES_MAX) kept.push({ shape, text });
    return { text, values: values.map(bind) };
  };
}
