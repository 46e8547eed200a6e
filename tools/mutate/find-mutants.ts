import ts from 'typescript';

/** One small wrong change of a source text. */
export interface Mutant {
  readonly line: number;
  readonly was: string;
  readonly now: string;
  readonly from: number;
  readonly to: number;
}

const OPERATORS: Readonly<Partial<Record<ts.SyntaxKind, string>>> = {
  [ts.SyntaxKind.LessThanToken]: '<=',
  [ts.SyntaxKind.LessThanEqualsToken]: '<',
  [ts.SyntaxKind.GreaterThanToken]: '>=',
  [ts.SyntaxKind.GreaterThanEqualsToken]: '>',
  [ts.SyntaxKind.EqualsEqualsEqualsToken]: '!==',
  [ts.SyntaxKind.ExclamationEqualsEqualsToken]: '===',
  [ts.SyntaxKind.AmpersandAmpersandToken]: '||',
  [ts.SyntaxKind.BarBarToken]: '&&',
  [ts.SyntaxKind.PlusToken]: '-',
  [ts.SyntaxKind.MinusToken]: '+',
  [ts.SyntaxKind.AsteriskToken]: '/',
  [ts.SyntaxKind.SlashToken]: '*',
};

/**
 * From here on a number is a length of time or a limit: off by one it is no other decision, off by as much again it is.
 */
const LONG = 100;

const METHODS: Readonly<Record<string, string>> = {
  some: 'every',
  every: 'some',
  min: 'max',
  max: 'min',
  find: 'findLast',
};

/** Every place of a text where a mutant can be planted, in the order of the text. */
export function findMutants(text: string): Mutant[] {
  const file = ts.createSourceFile('mutated.ts', text, ts.ScriptTarget.Latest, true);
  const found: Mutant[] = [];
  const put = (node: ts.Node, now: string): void => {
    const from = node.getStart(file);
    found.push({
      line: file.getLineAndCharacterOfPosition(from).line + 1,
      was: node.getText(file),
      now,
      from,
      to: node.getEnd(),
    });
  };

  function visit(node: ts.Node): void {
    if (
      ts.isTypeNode(node) ||
      ts.isImportDeclaration(node) ||
      ts.isInterfaceDeclaration(node) ||
      ts.isTypeAliasDeclaration(node)
    )
      return;
    if (ts.isBinaryExpression(node)) {
      const isText = [node.left, node.right].some(
        (side) => ts.isStringLiteralLike(side) || ts.isTemplateExpression(side),
      );
      const now = OPERATORS[node.operatorToken.kind];
      if (now !== undefined && !(isText && node.operatorToken.kind === ts.SyntaxKind.PlusToken))
        put(node.operatorToken, now);
      if (node.operatorToken.kind === ts.SyntaxKind.QuestionQuestionToken) put(node, node.right.getText(file));
    }
    if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken)
      put(node, node.operand.getText(file));
    if (node.kind === ts.SyntaxKind.TrueKeyword) put(node, 'false');
    if (node.kind === ts.SyntaxKind.FalseKeyword) put(node, 'true');
    if (ts.isNumericLiteral(node)) put(node, `(${node.getText(file)} ${Number(node.text) < LONG ? '+ 1' : '* 2'})`);
    if (ts.isConditionalExpression(node))
      put(node, `${node.condition.getText(file)} ? ${node.whenFalse.getText(file)} : ${node.whenTrue.getText(file)}`);
    if (ts.isIfStatement(node)) put(node.expression, 'false');
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      const now = METHODS[node.expression.name.text];
      if (now !== undefined) put(node.expression.name, now);
      if (node.expression.name.text === 'filter') put(node, node.expression.expression.getText(file));
    }
    ts.forEachChild(node, visit);
  }
  visit(file);
  return found.sort((a, b) => a.from - b.from);
}

export const plant = (text: string, { from, to, now }: Mutant): string => text.slice(0, from) + now + text.slice(to);

/** A seeded choice: the same seed gives the same mutants of the same texts. */
export function choose<T>(all: readonly T[], count: number, seed: number): T[] {
  let state = seed >>> 0;
  const chance = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const left = [...all];
  const chosen: T[] = [];
  while (chosen.length < count && left.length > 0) chosen.push(...left.splice(Math.floor(chance() * left.length), 1));
  return chosen;
}
