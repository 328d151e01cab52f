import { oneLine } from '../one-line.ts'
import type { SourceTree } from '../description/source-tree.ts'
import type { SymbolParameter } from '../description/types.ts'
import { child, namedChildren, type SyntaxNode } from '../syntax-tree.ts'

const maxParameters = 20

/** Returns the parameters that a caller passes, in order: neither the object of a method nor separators. */
export function parametersOf(code: SyntaxNode, tree: SourceTree): SymbolParameter[] {
  const list = child(code, 'parameters')
  if (list) return parametersIn(list, tree)
  const documented = documentedTypes(code, tree)
  return code.children
    .filter(({ field }) => field === 'params')
    .slice(0, maxParameters + 1)
    .flatMap((node) => parameterOf(node, tree))
    .filter(({ name }) => name !== 'this')
    .slice(0, maxParameters)
    .map((parameter) => {
      const { type, isOptional = false } = documented.get(parameter.name) ?? {}
      return { ...(type !== undefined && { type }), ...parameter, isOptional: parameter.isOptional || isOptional }
    })
    .map(({ name, type, isOptional }) => ({ name, ...(type !== undefined && { type }), isOptional }))
}

/** Returns the parameters of a list in parentheses. */
export const parametersIn = (list: SyntaxNode, tree: SourceTree): SymbolParameter[] =>
  namedChildren(list)
    .slice(0, maxParameters)
    .flatMap((node) => parameterOf(node, tree))

function parameterOf(node: SyntaxNode, tree: SourceTree): SymbolParameter[] {
  const text = (field: string) => {
    const found = child(node, field)
    return found && shortText(tree.text(found))
  }
  const one = (name: string | undefined, type: string | undefined, isOptional = false): SymbolParameter[] =>
    name === undefined || name === '' ? [] : [{ name, ...(type !== undefined && { type }), isOptional }]
  const whole = shortText(tree.text(node))
  switch (node.type) {
    case 'Identifier':
    case 'ObjectPattern':
    case 'ArrayPattern':
    case 'AssignmentPattern':
    case 'RestElement':
    case 'TSParameterProperty':
      return one(...scriptParameter(node, tree))
    case 'identifier':
      return one(whole, undefined)
    case 'default_parameter':
    case 'optional_parameter':
      return one(text('name'), undefined, true)
    case 'typed_parameter': {
      const [name] = namedChildren(node)
      return one(name && tree.text(name), text('type'), whole.startsWith('*'))
    }
    case 'typed_default_parameter':
      return one(text('name'), text('type'), true)
    case 'list_splat_pattern':
    case 'dictionary_splat_pattern':
    case 'splat_parameter':
    case 'hash_splat_parameter':
    case 'block_parameter':
    case 'forward_parameter':
      return one(whole, undefined, true)
    case 'keyword_parameter':
      return one(`${text('name') ?? ''}:`, undefined, child(node, 'value') !== undefined)
    // In Go several names share a type.
    case 'parameter_declaration':
      return node.children.filter(({ field }) => field === 'name').flatMap((name) => one(tree.text(name), text('type')))
    case 'variadic_parameter_declaration':
      return one(text('name'), `...${text('type') ?? ''}`, true)
    case 'formal_parameter':
      return one(text('name'), text('type'))
    case 'spread_parameter': {
      const [type] = namedChildren(node).filter((part) => part.type !== 'modifiers')
      const name = namedChildren(node).find((part) => part.type === 'variable_declarator')
      return one(name && tree.text(name), type && `${tree.text(type)}...`, true)
    }
    case 'parameter': {
      // Rust has a pattern, C# a name and perhaps a default value behind it.
      const name = text('pattern') ?? text('name')
      return one(name, text('type'), child(node, 'pattern') === undefined && whole.includes('='))
    }
    case 'simple_parameter':
    case 'property_promotion_parameter':
      return one(text('name'), text('type'), child(node, 'default_value') !== undefined)
    case 'variadic_parameter':
      return one(text('name'), text('type') === undefined ? '...' : `...${text('type')}`, true)
    default:
      return []
  }
}

function scriptParameter(
  node: SyntaxNode,
  tree: SourceTree,
): [name: string, type: string | undefined, optional: boolean] {
  if (node.type === 'TSParameterProperty') {
    const inner = child(node, 'parameter')
    return inner ? scriptParameter(inner, tree) : ['', undefined, false]
  }
  if (node.type === 'AssignmentPattern') {
    const left = child(node, 'left')
    const [name, type] = left ? scriptParameter(left, tree) : ['', undefined]
    return [name, type, true]
  }
  const annotation = child(node, 'typeAnnotation')
  const written = shortText(tree.text({ start: node.start, end: annotation?.start ?? node.end }))
  const type = annotation && shortText(tree.text(annotation).replace(/^:\s*/, ''))
  const name = written.endsWith('?') ? written.slice(0, -1).trimEnd() : written
  return [name, type, name !== written || node.type === 'RestElement']
}

/** The types that a JSDoc comment gives, for JavaScript that has none in its code. */
function documentedTypes(code: SyntaxNode, tree: SourceTree): Map<string, Partial<SymbolParameter>> {
  const types = new Map<string, Partial<SymbolParameter>>()
  const isScript = code.children.some(({ field }) => field === 'params')
  const comment = isScript ? commentBefore(code, tree) : ''
  for (const line of comment.split('\n').slice(0, maxCommentLines)) {
    const [, type, bracket, name] = /@param\s+\{([^{}]{1,200})\}\s+(\[?)([\w$]+)/.exec(line.slice(0, 500)) ?? []
    if (type !== undefined && name !== undefined)
      types.set(name, { type, ...(bracket === '[' && { isOptional: true }) })
  }
  return types
}

const maxCommentLines = 100
const maxComment = 5_000

/** The comment that ends right before the statement or member around a function. */
function commentBefore(code: SyntaxNode, { source }: SourceTree): string {
  let outer = code
  while (outer.parent && !/^(?:Program|ClassBody|BlockStatement|ObjectExpression)$/.test(outer.parent.type)) {
    outer = outer.parent
  }
  const before = source.slice(Math.max(0, outer.start - maxComment), outer.start).trimEnd()
  return before.endsWith('*/') ? before.slice(Math.max(0, before.lastIndexOf('/**'))) : ''
}

const maxText = 200

/** The text in one line, cut to a readable length. */
export const shortText = (text: string): string => oneLine(text, maxText)
