import { resolve } from 'node:path';
import {
  isArrowFunction,
  isBlock,
  isConstructorDeclaration,
  isFunctionDeclaration,
  isFunctionExpression,
  isGetAccessorDeclaration,
  isIdentifier,
  isMethodDeclaration,
  isObjectLiteralExpression,
  isParenthesizedExpression,
  isPrivateIdentifier,
  isReturnStatement,
  isSetAccessorDeclaration,
  isVariableStatement,
  type Node,
  type SourceFile,
} from 'typescript/unstable/ast';
import { API } from 'typescript/unstable/sync';

/** Calls `visit` with the syntax of each file, as the compiler reads it. Types are not resolved. */
export function withSyntax(
  files: readonly string[],
  visit: (file: string, syntax: SourceFile) => void,
): void {
  const config = resolve('tsconfig.syntax.json');
  const compilerOptions = { allowJs: true, noLib: true, noResolve: true, types: [], jsx: 'preserve' };
  const text = JSON.stringify({ compilerOptions, files: files.map((file) => resolve(file)) });
  // The configuration file exists only in memory.
  const isConfig = (path: string) => path === config || undefined;
  const api = new API({
    fs: { fileExists: isConfig, readFile: (path) => (isConfig(path) ? text : undefined) },
  });
  try {
    const project = api.updateSnapshot({ openProjects: [config] }).getProject(config);
    for (const file of files) {
      const syntax = project?.program.getSourceFile(resolve(file));
      if (syntax === undefined) throw new Error(`the compiler does not read ${file}`);
      visit(file, syntax);
    }
  } finally {
    api.close();
  }
}

export type FunctionLines = { readonly firstLine: number; readonly lines: number };

/** Every function of a file, also nested ones, with its number of lines, blanks and comments included. */
export function functionsIn(syntax: SourceFile): readonly FunctionLines[] {
  const lineOf = (position: number) => syntax.text.slice(0, position).split('\n').length;
  return nodesIn(syntax)
    .filter(isFunction)
    .map((node) => {
      const firstLine = lineOf(node.getStart(syntax));
      return { firstLine, lines: lineOf(node.end) - firstLine + 1 };
    });
}

const isFunction = (node: Node): boolean =>
  isArrowFunction(node) ||
  isConstructorDeclaration(node) ||
  isFunctionDeclaration(node) ||
  isFunctionExpression(node) ||
  isGetAccessorDeclaration(node) ||
  isMethodDeclaration(node) ||
  isSetAccessorDeclaration(node);

function nodesIn(node: Node): readonly Node[] {
  const found: Node[] = [];
  const visit = (each: Node): void => {
    found.push(each);
    each.forEachChild(visit);
  };
  visit(node);
  return found;
}

/** The distinct identifiers of a file; private ones without `#`. */
export const identifiersIn = (syntax: SourceFile): ReadonlySet<string> =>
  new Set(
    nodesIn(syntax).flatMap((node) =>
      isIdentifier(node) || isPrivateIdentifier(node) ? [node.text.replace(/^#/, '')] : [],
    ),
  );

/** The exported functions of a file that return a function without a name, or an object of functions. */
export const namelessFactoriesIn = (syntax: SourceFile): readonly string[] =>
  syntax.statements.flatMap((statement) => {
    if (isFunctionDeclaration(statement)) {
      return returnsNameless(statement.body) ? [statement.name?.text ?? ''] : [];
    }
    if (!isVariableStatement(statement)) return [];
    return statement.declarationList.declarations.flatMap(({ name, initializer }) => {
      const isFactory =
        initializer !== undefined && isArrowFunction(initializer) && returnsNameless(initializer.body);
      return isFactory ? [name.getText(syntax)] : [];
    });
  });

function returnsNameless(body: Node | undefined): boolean {
  if (body === undefined) return false;
  if (!isBlock(body)) return isNameless(body);
  return body.statements.some((one) => isReturnStatement(one) && isNameless(one.expression));
}

function isNameless(value: Node | undefined): boolean {
  if (value === undefined) return false;
  if (isParenthesizedExpression(value)) return isNameless(value.expression);
  if (isFunctionExpression(value)) return value.name === undefined;
  if (isObjectLiteralExpression(value)) return value.properties.some((one) => nodesIn(one).some(isFunction));
  return isArrowFunction(value);
}
