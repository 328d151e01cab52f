import type { SourceTree } from '../description/source-tree.ts'
import type { SymbolDeclaration, SymbolPlace } from '../description/types.ts'
import { child, nodesOf, type SyntaxNode } from '../syntax-tree.ts'
import { constructionOf, ownerOf } from './construction.ts'
import { type Definition, definitionsOf, findDefinition } from './definitions.ts'
import { parametersOf } from './parameters.ts'
import { unreadParameters } from './unread-parameters.ts'

/** Returns a function that says how the symbol at a place is called. */
export function declarationReader(tree: SourceTree): (place: SymbolPlace) => SymbolDeclaration | undefined {
  const definitions = definitionsOf(tree)
  return (place) => {
    const definition = findDefinition(definitions, place, tree)
    return definition && declarationOf(definition, definitions, tree)
  }
}

function declarationOf(
  definition: Definition,
  definitions: readonly Definition[],
  tree: SourceTree,
): SymbolDeclaration {
  const { kind, whole, code, isWrapped } = definition
  const signature = signatureOf(definition, tree)
  const exported = isDefaultExport(definition, tree) ? { isDefault: true as const } : {}
  if (kind === 'class') {
    const construction = constructionOf(whole, definitions, tree)
    return {
      signature,
      ...exported,
      ...(construction && { parameters: construction.parameters, construct: construction.text }),
    }
  }
  const owner = ownerFor(whole, definitions, tree)
  const isConstructor = /^(?:constructor|__init__|initialize|__construct)$/.test(definition.name) || whole.type === 'constructor_declaration' // prettier-ignore
  const construction = owner && (isConstructor || takesObject(definition, tree)) ? constructionOf(owner, definitions, tree, child(whole, 'receiver')) : undefined // prettier-ignore
  const parameters = isWrapped ? undefined : parametersOf(code, tree)
  const unread = isWrapped ? [] : unreadParameters(definition, owner, tree)
  const own = owner?.type === 'class_definition' && !isStatic(definition, tree) ? parameters?.slice(1) : parameters
  return {
    signature,
    ...exported,
    ...(own && { parameters: own }),
    ...(construction && { construct: construction.text }),
    ...(unread.length > 0 && { unread }),
  }
}

const maxSignature = 300

/** The declaration's own text up to its body. */
function signatureOf({ whole, code, isWrapped }: Definition, tree: SourceTree): string {
  const body = isWrapped ? code : (child(code, 'body') ?? child(code, 'accessors'))
  const end = body && body.start > whole.start ? body.start : whole.end
  const text =
    property(whole, tree) +
    tree
      .text({ start: whole.start, end: Math.min(end, whole.start + maxSignature * 4) })
      .replace(/\s+/g, ' ')
      .replaceAll('( ', '(')
      .replaceAll(', )', ')')
      .replaceAll(' )', ')')
      .trim()
      .replace(/^export default /, '')
  // Of `memoize((key) => …)` the parameters in the text are not those of what it makes.
  const plain = isWrapped ? `${text}${text.endsWith(',') ? ' ' : ''}…)` : withoutEnd(text)
  return plain.length > maxSignature ? `${plain.slice(0, maxSignature)}…` : plain
}

/** The decorator of Python that makes a method a property, which is not called. */
function property({ parent }: SyntaxNode, tree: SourceTree): string {
  const decorators = parent?.type === 'decorated_definition' ? parent.children : []
  const texts = decorators
    .filter(({ type }) => type === 'decorator')
    .map((node) => tree.text(node).slice(0, 100).trim())
  const found = texts.find((text) => /^@(?:\w+\.){0,5}(?:\w*property|setter)$/.test(text))
  return found === undefined ? '' : `${found} `
}

/** Removes what leads to the body: `{`, `:`, `=>`, a parenthesis around an object. */
function withoutEnd(text: string): string {
  const plain = text.endsWith('=> (') ? text.slice(0, -1).trimEnd() : text
  for (const end of ['=>', '{', ':', '=', ';']) if (plain.endsWith(end)) return plain.slice(0, -end.length).trimEnd()
  return plain
}

/** The class of a method; for Go the declaration of the receiver's type. */
function ownerFor(whole: SyntaxNode, definitions: readonly Definition[], tree: SourceTree): SyntaxNode | undefined {
  const receiver = child(whole, 'receiver')
  if (!receiver) return ownerOf(whole)
  const named = [...nodesOf(receiver)].find((node) => node.type === 'type_identifier')
  const type = named && tree.text(named)
  return definitions.find(({ whole, name }) => whole.type === 'type_spec' && name === type)?.whole
}

/** Whether a method needs an object to be called on. */
function takesObject(definition: Definition, tree: SourceTree): boolean {
  const { whole, code } = definition
  if (whole.type === 'function_item') {
    return child(code, 'parameters')?.children.some(({ type }) => type === 'self_parameter') === true
  }
  return whole.type !== 'singleton_method' && !isStatic(definition, tree, true)
}

/** @param withClassMethods - also counts methods of Python that get the class */
function isStatic({ whole, code }: Definition, tree: SourceTree, withClassMethods = false): boolean {
  const { parent } = whole
  if (parent?.type === 'decorated_definition') {
    const decorators = tree.text({ start: parent.start, end: whole.start })
    return /@staticmethod\b/.test(decorators) || (withClassMethods && /@classmethod\b/.test(decorators))
  }
  if (whole.type === 'Property') return true
  const end = child(whole, 'key')?.start ?? child(whole, 'name')?.start ?? code.start
  return /(?:^|\s)static\s/.test(`${tree.text({ start: whole.start, end }).slice(0, 300)} `)
}

/** Whether the outermost declaration around it is the default export of its module. */
function isDefaultExport({ whole, name }: Definition, tree: SourceTree): boolean {
  let outer = whole
  for (let next: SyntaxNode | null = whole; next && next.type !== 'Program'; next = next.parent) outer = next
  if (outer.type === 'ExportDefaultDeclaration') return true
  const root = ownerOf(whole)
  const id = root && child(root, 'id')
  const rootName = id ? tree.text(id) : name
  return tree.root.children.some((node) => {
    const exported = node.type === 'ExportDefaultDeclaration' ? child(node, 'declaration') : undefined
    return exported?.type === 'Identifier' && tree.text(exported) === rootName
  })
}
