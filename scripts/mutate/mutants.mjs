// Small faults in TypeScript source, all in one text, each behind a switch: `__mutant(id) ? fault : original`.
// @ts-nocheck: the types of a syntax tree would be longer than the code.
import ts from 'typescript';

const K = ts.SyntaxKind;
const OPERATORS = {
  '===': ['!=='],
  '!==': ['==='],
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '+': ['-'],
  '-': ['+'],
  '*': ['/'],
  '/': ['*'],
  '%': ['*'],
  '&&': ['||'],
  '||': ['&&'],
  '??': ['&&'],
};
const DROPPED = ['trim', 'trimEnd', 'trimStart', 'sort', 'filter', 'slice', 'reverse', 'flat', 'toReversed'];
const SWAPPED = {
  startsWith: 'endsWith',
  endsWith: 'startsWith',
  some: 'every',
  every: 'some',
  min: 'max',
  max: 'min',
};

/**
 * @param {string} file kept with each mutant
 * @param {number} first the first mutant's id
 * @returns the instrumented text and its mutants
 */
export function instrument(text, file, first) {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const mutants = [];
  const add = (node, fault) => {
    const { line } = source.getLineAndCharacterOfPosition(node.getStart());
    mutants.push({ id: first + mutants.length, file, line: line + 1, original: node.getText(), fault });
    return `__mutant(${first + mutants.length - 1})`;
  };

  const emit = node => {
    if (isProse(node)) return node.getFullText();
    const faults = faultsOf(node);
    const switches = faults.map(fault => `${add(node, fault)} ? (${fault}) : `).join('');
    const emptied = isRemovable(node) ? `if (${add(node, '{}')}) return; ` : '';
    let out = '';
    let at = node.getFullStart();
    ts.forEachChild(node, child => {
      out += text.slice(at, child.getFullStart()) + emit(child);
      at = child.getEnd();
    });
    out += text.slice(at, node.getEnd());
    if (emptied) out = out.replace('{', `{ ${emptied}`);
    if (!switches) return out;
    const lead = out.length - out.trimStart().length;
    return ` ${out.slice(0, lead)}(${switches}(${out.slice(node.getStart() - node.getFullStart())}))`;
  };
  return { text: emit(source) + text.slice(source.getEnd()), mutants };
}

/** Code without faults: types and imports do not run, and the descriptions of a schema are prose. */
function isProse(node) {
  if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || ts.isInterfaceDeclaration(node)) return true;
  if (ts.isTypeAliasDeclaration(node) || ts.isExportDeclaration(node)) return true;
  const call = node.parent;
  return (
    call !== undefined &&
    ts.isCallExpression(call) &&
    call.arguments.includes(node) &&
    ts.isPropertyAccessExpression(call.expression) &&
    ['describe', 'meta'].includes(call.expression.name.text)
  );
}

/** Whether it is the body of a function. As a fault, the function returns at once. */
function isRemovable(node) {
  const of = node.parent;
  return (
    ts.isBlock(node) &&
    node.statements.length > 0 &&
    ts.isFunctionLike(of) &&
    !ts.isConstructorDeclaration(of)
  );
}

function faultsOf(node) {
  const of = node.parent;
  if (!of || (ts.isPropertyAssignment(of) && of.name === node) || ts.isEnumMember(of)) return [];
  if ('questionDotToken' in of && of.expression === node && ts.isOptionalChain(of)) return [];
  if (ts.isCallExpression(of) && of.expression === node) return [];
  return [...asCondition(node, of), ...byKind(node, of)];
}

function asCondition(node, of) {
  const tested =
    ((ts.isIfStatement(of) || ts.isWhileStatement(of)) && of.expression === node) ||
    ((ts.isConditionalExpression(of) || ts.isForStatement(of)) && of.condition === node);
  if (!tested) return [];
  return ts.isWhileStatement(of) || ts.isForStatement(of) ? ['false'] : ['true', 'false'];
}

function byKind(node, of) {
  const code = node.getText();
  if (ts.isBinaryExpression(node)) return ofOperator(node);
  if (ts.isPrefixUnaryExpression(node))
    return [K.ExclamationToken, K.MinusToken].includes(node.operator) ? [node.operand.getText()] : [];
  if (node.kind === K.TrueKeyword) return ['false'];
  if (node.kind === K.FalseKeyword) return ['true'];
  if (isText(node) && !ts.isTaggedTemplateExpression(of) && !ts.isElementAccessExpression(of))
    return [/^(''|""|``)$/.test(code) ? "'mutated'" : "''"];
  if (ts.isArrayLiteralExpression(node) && node.elements.length && !isTarget(node)) return ['[]'];
  if (ts.isObjectLiteralExpression(node) && node.properties.length && !isTarget(node)) return ['{}'];
  if (ts.isArrowFunction(node) && !ts.isBlock(node.body)) return ['() => undefined'];
  if (ts.isCallExpression(node)) return ofCall(node, code);
  return [];
}

function ofOperator(node) {
  const operator = node.operatorToken.getText();
  if (operator === '+' && [node.left, node.right].some(isText)) return [];
  return (OPERATORS[operator] ?? []).map(
    other => `(${node.left.getText()}) ${other} (${node.right.getText()})`,
  );
}

function ofCall(node, code) {
  const callee = node.expression;
  if (!ts.isPropertyAccessExpression(callee)) return [];
  const [object, name] = [callee.expression.getText(), callee.name.text];
  if (DROPPED.includes(name)) return [object];
  const other = Object.hasOwn(SWAPPED, name) && SWAPPED[name];
  return other && node.arguments.length
    ? [`${object}${callee.questionDotToken ? '?.' : '.'}${other}${code.slice(callee.getText().length)}`]
    : [];
}

const isText = node =>
  ts.isStringLiteral(node) || ts.isTemplateExpression(node) || ts.isNoSubstitutionTemplateLiteral(node);

const isTarget = node =>
  ts.isBinaryExpression(node.parent) &&
  node.parent.left === node &&
  node.parent.operatorToken.kind === K.EqualsToken;
