/** What the TypeScript compiler says is defined in a file, by the same notion of a definition: what somebody else may name. */
import ts from 'typescript-api';

const isFunctionLike = (node: ts.Node | undefined): boolean =>
  node !== undefined && (ts.isArrowFunction(node) || ts.isFunctionExpression(node));

/** Bindings of a required or imported module are imports. */
const isRequired = (initializer: ts.Expression | undefined): boolean =>
  /^(?:await\s+)?(?:require|import)\s*\(/.test(initializer?.getText() ?? '');

function isTopLevel(node: ts.VariableDeclaration): boolean {
  const statement = node.parent.parent;
  return ts.isVariableStatement(statement) && (ts.isSourceFile(statement.parent) || ts.isModuleBlock(statement.parent));
}

/** Names of a pattern, one level deep. */
function namesIn(name: ts.BindingName): ts.Identifier[] {
  if (ts.isIdentifier(name)) return [name];
  return name.elements.flatMap((element) => (ts.isBindingElement(element) && ts.isIdentifier(element.name) ? [element.name] : []));
}

/** A property of an object type belongs to the interface or alias that it stands in directly. */
function isMember(node: ts.PropertySignature): boolean {
  for (let up: ts.Node = node.parent; up; up = up.parent) {
    if (ts.isInterfaceDeclaration(up) || ts.isTypeAliasDeclaration(up)) return true;
    if (ts.isPropertySignature(up) || ts.isFunctionLike(up) || ts.isPropertyDeclaration(up) || ts.isVariableDeclaration(up)) return false;
  }
  return false;
}

export function definitionsBy(file: string, text: string): string[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const add = (name: ts.Node | undefined): void => {
    if (!name || name.getWidth(source) === 0) return;
    const line = source.getLineAndCharacterOfPosition(name.getStart(source)).line + 1;
    found.push(`${name.getText(source).replace(/^(["'])(.*)\1$/s, '$2')}:${line}`);
  };
  const visit = (node: ts.Node): void => {
    if (ts.isConstructorDeclaration(node)) {
      const keyword = node.getChildren(source).find(({ kind }) => kind === ts.SyntaxKind.ConstructorKeyword);
      add(keyword);
    } else if (ts.isVariableDeclaration(node)) {
      const named = isFunctionLike(node.initializer) || (node.initializer && ts.isClassExpression(node.initializer));
      if ((named && ts.isIdentifier(node.name)) || (isTopLevel(node) && !isRequired(node.initializer)))
        for (const name of namesIn(node.name)) add(name);
    } else if (ts.isParameter(node)) {
      if (ts.isParameterPropertyDeclaration(node, node.parent)) add(node.name);
    } else if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.EqualsToken) {
      const { left, right } = node;
      if (ts.isPropertyAccessExpression(left) && ts.isIdentifier(left.name) && (isFunctionLike(right) || ts.isClassExpression(right)))
        add(left.name);
    } else if (ts.isPropertyAssignment(node)) {
      if (isFunctionLike(node.initializer) && ts.isIdentifier(node.name)) add(node.name);
    } else if (ts.isPropertySignature(node)) {
      if (isMember(node)) add(node.name);
    } else if (
      ts.isFunctionDeclaration(node) ||
      ts.isFunctionExpression(node) ||
      ts.isClassLike(node) ||
      ts.isMethodDeclaration(node) ||
      ts.isMethodSignature(node) ||
      ts.isAccessor(node) ||
      ts.isPropertyDeclaration(node) ||
      ts.isInterfaceDeclaration(node) ||
      ts.isTypeAliasDeclaration(node) ||
      ts.isEnumDeclaration(node) ||
      ts.isEnumMember(node) ||
      ts.isModuleDeclaration(node)
    )
      if (!(ts.isModuleDeclaration(node) && node.flags & ts.NodeFlags.GlobalAugmentation)) add(node.name);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}
