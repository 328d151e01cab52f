import type { SourceTree } from '../description/source-tree.ts'
import type { SymbolPlace } from '../description/types.ts'
import { child, nodesOf, type SyntaxNode } from '../syntax-tree.ts'

/** A function or class in its file. */
export interface Definition {
  /** Its own name without qualifier; `default` for a default export without one. */
  name: string
  kind: 'function' | 'class'
  /** The whole declaration. */
  whole: SyntaxNode
  /** The node that has the parameters and the body. */
  code: SyntaxNode
  /** Another function makes it of `code`, so that its parameters are not known. */
  isWrapped?: true
}

const functionTypes = new Set([
  'function_definition',
  'function_declaration',
  'method_declaration',
  'constructor_declaration',
  'compact_constructor_declaration',
  'method',
  'singleton_method',
  'function_item',
  'local_function_statement',
  'property_declaration',
])
const classTypes = new Set([
  'class_definition',
  'class_declaration',
  'interface_declaration',
  'enum_declaration',
  'record_declaration',
  'struct_declaration',
  'trait_declaration',
  'class',
  'module',
  'type_spec',
  'struct_item',
  'enum_item',
  'trait_item',
])
const scriptFunctions = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'])
const scriptClasses = new Set(['ClassDeclaration', 'ClassExpression'])
const members = new Set(['MethodDefinition', 'TSAbstractMethodDefinition', 'PropertyDefinition', 'Property'])

export const isClass = ({ type }: SyntaxNode) => classTypes.has(type) || scriptClasses.has(type)

/** Returns all functions and classes of a file that have a name. */
export function definitionsOf(tree: SourceTree): Definition[] {
  const found: Definition[] = []
  for (const node of nodesOf(tree.root)) {
    const definition = definitionOf(node, tree)
    if (definition) found.push(definition)
  }
  return found
}

function definitionOf(node: SyntaxNode, tree: SourceTree): Definition | undefined {
  const { type } = node
  if (functionTypes.has(type) || classTypes.has(type)) {
    const name = child(node, 'name')
    // The keyword that begins a Ruby class has the type `class`, too.
    if (!name || !node.named) return undefined
    return { name: tree.text(name), kind: classTypes.has(type) ? 'class' : 'function', whole: node, code: node }
  }
  if (scriptClasses.has(type)) return { name: scriptName(node, tree), kind: 'class', whole: node, code: node }
  if (type === 'FunctionDeclaration' || type === 'TSDeclareFunction') {
    return { name: scriptName(node, tree), kind: 'function', whole: node, code: node }
  }
  if (members.has(type)) return ofValue(node, child(node, 'key'), child(node, 'value'), tree)
  if (type === 'VariableDeclarator') return ofValue(node, child(node, 'id'), child(node, 'init'), tree)
  if (type === 'AssignmentExpression') {
    const left = child(node, 'left')
    return ofValue(node, left && isModule(left, tree) ? undefined : left, child(node, 'right'), tree)
  }
  const isDefault = type === 'ExportDefaultDeclaration'
  return isDefault ? ofValue(node, undefined, child(node, 'declaration'), tree) : undefined
}

const isModule = (target: SyntaxNode, tree: SourceTree) => tree.text(target) === 'module.exports'

function ofValue(
  whole: SyntaxNode,
  name: SyntaxNode | undefined,
  value: SyntaxNode | undefined,
  tree: SourceTree,
): Definition | undefined {
  if (!value) return undefined
  const text = name ? lastName(identifierText(name, tree)) : 'default'
  if (value.type === 'FunctionExpression' || value.type === 'ArrowFunctionExpression') {
    return { name: text, kind: 'function', whole, code: value }
  }
  // `memoize((key) => …)` is not called with the parameters of its argument for certain.
  const inner =
    value.type === 'CallExpression' ? value.children.find(({ type }) => scriptFunctions.has(type)) : undefined
  return inner && { name: text, kind: 'function', whole, code: inner, isWrapped: true }
}

function scriptName(node: SyntaxNode, tree: SourceTree): string {
  const id = child(node, 'id')
  if (id) return tree.text(id)
  const { parent } = node
  const given = parent?.type === 'VariableDeclarator' ? child(parent, 'id') : undefined
  return given ? identifierText(given, tree) : 'default'
}

/** The text of an identifier without its type annotation. */
const identifierText = (node: SyntaxNode, tree: SourceTree) => {
  const annotation = child(node, 'typeAnnotation')
  return tree
    .text({ start: node.start, end: annotation?.start ?? node.end })
    .replace(/[?!]/, '')
    .trim()
}

/** The last part of a name that is qualified inside its file. */
export const lastName = (name: string) => name.split(/[.:#\\]+/).at(-1) ?? name

/** Returns the definition at a place: the one of its name whose lines are the most similar. */
export function findDefinition(
  definitions: readonly Definition[],
  place: SymbolPlace,
  tree: SourceTree,
): Definition | undefined {
  const name = lastName(place.name)
  const distance = ({ whole }: Definition) =>
    Math.abs(tree.lineOf(whole.start) - place.startLine) + Math.abs(tree.lineOf(whole.end) - place.endLine)
  const overlaps = ({ whole }: Definition) =>
    tree.lineOf(whole.start) <= place.endLine && tree.lineOf(whole.end) >= place.startLine
  const named = definitions.filter((definition) => definition.name === name && overlaps(definition))
  // What is `module.exports` has the name of its file.
  if (named.length === 0) {
    const isThere = (one: Definition) => one.name === 'default' && tree.lineOf(one.whole.start) === place.startLine
    named.push(...definitions.filter(isThere))
  }
  // A constructor has the name of its class in some languages: `Cart.Cart`.
  const isConstructor = place.name.split(/[.:#\\]+/).at(-2) === name
  const functions = isConstructor ? named.filter(({ kind }) => kind === 'function') : []
  const [first, ...others] = functions.length > 0 ? functions : named
  return first && others.reduce((best, one) => (distance(one) < distance(best) ? one : best), first)
}
