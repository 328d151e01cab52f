import type { SourceTree } from '../description/source-tree.ts'
import { child, namedChildren, type SyntaxNode } from '../syntax-tree.ts'
import type { Definition } from './definitions.ts'

export interface UnreadParameter {
  name: string
  line: number
}

/** Names that give access to all parameters or to any variable. */
const readsAny = /\b(?:arguments|eval|with|locals|vars|inspect|debugger|globals|exec)\b/
/** Functions with more are generated. Each name is searched in the whole function. */
const maxUnread = 20
const scriptName = /^[A-Za-z$][\w$]*$/
const pythonName = /^[A-Za-z]\w*$/

/**
 * Finds the parameters behind the last one that is read, in functions of JavaScript, TypeScript and Python. A name that
 * occurs anywhere else in the function counts as read, in comments and strings too. What others ask for is left out:
 * methods of classes that extend or implement something, decorated functions, and in Python all but private functions
 * that the file only calls.
 */
export function unreadParameters(
  { name, whole, code, kind }: Definition,
  owner: SyntaxNode | undefined,
  tree: SourceTree,
): UnreadParameter[] {
  const body = child(code, 'body')
  const isPython = code.type === 'function_definition'
  const isScript = code.children.some(({ field }) => field === 'params')
  if (kind !== 'function' || !body || (!isPython && !isScript) || isStub(body)) return []
  const text = tree.text(code)
  if (isTyped(code) || readsAny.test(text) || isAskedFor(name, whole, owner, isPython, tree)) return []
  const parameters = isPython
    ? namedChildren(child(code, 'parameters') ?? code)
    : code.children.filter(({ field }) => field === 'params')
  if (isErrorHandler(parameters, tree)) return []
  const unread: UnreadParameter[] = []
  for (const node of parameters.slice(-maxUnread).toReversed()) {
    const named = isPython ? pythonParameter(node, tree) : scriptParameter(node, tree)
    if (named === undefined || named.startsWith('_') || occurrencesOf(named, text) > 1) break
    unread.unshift({ name: named, line: tree.lineOf(node.start) })
  }
  return unread
}

/** Nothing, or only a statement that says that there is nothing. */
function isStub(body: SyntaxNode): boolean {
  if (!/^(?:BlockStatement|FunctionBody|block)$/.test(body.type)) return false
  const all = namedChildren(body)
  // In Python a comment in quotes, or `...`.
  const statements = all[0]?.type === 'expression_statement' && body.type === 'block' ? all.slice(1) : all
  return statements.length <= 1 && statements.every(({ type }) => /^(?:ThrowStatement|raise_statement|pass_statement|ReturnStatement|return_statement)$/.test(type)) // prettier-ignore
}

function isAskedFor(
  name: string,
  whole: SyntaxNode,
  owner: SyntaxNode | undefined,
  isPython: boolean,
  tree: SourceTree,
): boolean {
  if (isPython) {
    const isPrivate = /^_[^_]/.test(name)
    return !isPrivate || whole.parent?.type === 'decorated_definition' || hasBases(owner) || isValue(name, tree)
  }
  // Members of objects and accessors have the form that others want of them.
  if (whole.type === 'Property' || hasBases(owner)) return true
  const end = child(whole, 'key')?.start ?? whole.start
  const modifiers = tree.text({ start: whole.start, end })
  return (
    /@|\b(?:override|set|get|abstract|declare)\b/.test(modifiers) ||
    whole.children.some(({ type }) => type === 'Decorator')
  )
}

/** Whether a variable or field with a type of its own holds the function, which asks for the parameters. */
function isTyped(code: SyntaxNode): boolean {
  let holder = code.parent
  while (holder && /^(?:TS\w+Expression|ParenthesizedExpression)$/.test(holder.type)) holder = holder.parent
  const target = holder?.type === 'VariableDeclarator' ? child(holder, 'id') : holder
  return target !== null && target !== undefined && target !== code && child(target, 'typeAnnotation') !== undefined
}

function hasBases(owner: SyntaxNode | undefined): boolean {
  if (!owner) return false
  const bases = child(owner, 'superclasses')
  if (bases && namedChildren(bases).length > 0) return true
  return (
    child(owner, 'superClass') !== undefined ||
    owner.children.some(
      ({ field, type }) => field === 'implements' || type === 'TSClassImplements' || type === 'Decorator',
    ) ||
    owner.parent?.type === 'decorated_definition'
  )
}

/** Whether the file mentions a function without calling it, as where it hands it on. */
function isValue(name: string, { source }: SourceTree): boolean {
  for (let at = source.indexOf(name); at !== -1; at = source.indexOf(name, at + 1)) {
    if (/\w/.test(source[at - 1] ?? '') || /\w/.test(source[at + name.length] ?? '')) continue
    if (source[at + name.length] !== '(') return true
  }
  return false
}

/** Express tells handlers of errors by their four parameters. */
function isErrorHandler(parameters: readonly SyntaxNode[], tree: SourceTree): boolean {
  const [first] = parameters
  return parameters.length === 4 && first !== undefined && /^_?e(?:rr(?:or)?)?\b/.test(tree.text(first))
}

/** The name of a plain parameter, with or without a default value; undefined for any other. */
function scriptParameter(node: SyntaxNode, tree: SourceTree): string | undefined {
  const inner = node.type === 'AssignmentPattern' ? child(node, 'left') : node
  if (inner?.type !== 'Identifier' || inner.children.some(({ type }) => type === 'Decorator')) return undefined
  const annotation = child(inner, 'typeAnnotation')
  const name = tree
    .text({ start: inner.start, end: annotation?.start ?? inner.end })
    .replace('?', '')
    .trim()
  return scriptName.test(name) && name !== 'this' ? name : undefined
}

function pythonParameter(node: SyntaxNode, tree: SourceTree): string | undefined {
  const named =
    node.type === 'identifier'
      ? node
      : node.type === 'typed_parameter'
        ? namedChildren(node)[0]
        : /^(?:typed_)?default_parameter$/.test(node.type)
          ? child(node, 'name')
          : undefined
  const name = named?.type === 'identifier' ? tree.text(named) : ''
  return pythonName.test(name) && name !== 'self' && name !== 'cls' ? name : undefined
}

function occurrencesOf(name: string, text: string): number {
  let count = 0
  for (let at = text.indexOf(name); at !== -1 && count < 2; at = text.indexOf(name, at + name.length)) {
    if (/[\w$]/.test(text[at - 1] ?? '') || /[\w$]/.test(text[at + name.length] ?? '')) continue
    count += 1
  }
  return count
}
