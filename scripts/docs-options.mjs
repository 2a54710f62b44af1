// Lists of options from the docstrings of the public types, so that editors and docs show the same text.
import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { cell, item } from './docs-table.mjs';

/**
 * The members of interfaces in one list: name, type, default and meaning of options; name and meaning of what a user is given.
 *
 * @param {readonly { file: string, name: string }[]} interfaces
 */
export function interfaceList(interfaces) {
  const members = interfaces.flatMap(({ file, name }) => membersOf(file, name));
  // Options have optional members; objects that users get have none.
  const areOptions = members.some(({ optional }) => optional);
  return members
    .map(({ name, type, optional, fallback, meaning }) =>
      areOptions
        ? item(`${name}: ${type}`, [fallback ? `default: ${fallback}` : optional ? '' : 'required'], meaning)
        : item(name, [], meaning),
    )
    .join('\n');
}

/**
 * @param {string} file
 * @param {string} name
 */
function membersOf(file, name) {
  const source = parse(file);
  const found = source.statements.filter(ts.isInterfaceDeclaration).find(node => node.name.text === name);
  if (!found) throw new Error(`${file} has no interface ${name}`);
  const documented = found.members.filter(isMember).filter(member => !ts.getJSDocDeprecatedTag(member));
  return documented.map(member => {
    const { meaning, fallback } = split(docOf(member));
    const own = member.name.getText(source);
    if (!meaning) throw new Error(`${file}: ${name}.${own} has no docstring`);
    const optional = member.questionToken !== undefined;
    return {
      name: ts.isMethodSignature(member) ? `${own}(${parametersOf(member, source)})` : own,
      type: member.type?.getText(source).replace(/\s+/g, ' '),
      meaning,
      fallback: fallback === 'none' ? '' : fallback,
      optional,
    };
  });
}

/** @type {(node: ts.TypeElement) => node is ts.PropertySignature | ts.MethodSignature} */
const isMember = node => ts.isPropertySignature(node) || ts.isMethodSignature(node);

/** @param {string} file */
function parse(file) {
  return ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
}

/** @param {ts.Node} node */
function docOf(node) {
  const text = ts.getJSDocCommentsAndTags(node).map(doc => ts.getTextOfJSDocComment(doc.comment) ?? '');
  return text.join(' ');
}

/**
 * @param {ts.MethodSignature} method
 * @param {ts.SourceFile} source
 */
const parametersOf = (method, source) => method.parameters.map(({ name }) => name.getText(source)).join(', ');

/**
 * Splits "Milliseconds that a step waits. Default: 5,000." into the meaning and the default.
 *
 * @param {string} doc
 */
function split(doc) {
  const text = doc.replace(/\s+/g, ' ').trim();
  const found = /(?:^|[.)] )[Dd]efault:? ((?:[^.]|\.(?! ))*)\.?(?: (.*))?$/.exec(text);
  if (!found) return { meaning: cell(text), fallback: '' };
  const before = text.slice(
    0,
    text[found.index] === '.' || text[found.index] === ')' ? found.index + 1 : found.index,
  );
  return { meaning: cell([before, found[2] ?? ''].join(' ')), fallback: cell(found[1] ?? '') };
}
