import type { Node } from 'oxc-parser'
import { forEachChild, literalText, memberPath, unwrap } from '../../parsing/javascript/syntax.ts'

/** The kind of a value, as far as the syntax shows it. */
export type Kind = 'number' | 'boolean' | 'string' | 'array' | 'map' | 'set' | 'promise' | 'nothing' | 'unknown'

const byMethod = new Map<string, Kind>()
const methods: Partial<Record<Kind, string>> = {
  boolean:
    'includes startsWith endsWith has every some hasOwn hasOwnProperty isPrototypeOf isArray isInteger isSafeInteger isNaN isFinite',
  string:
    'toString trim trimStart trimEnd toUpperCase toLowerCase toLocaleUpperCase toLocaleLowerCase join padStart padEnd ' +
    'repeat replace replaceAll substring substr charAt toFixed toISOString toLocaleString toPrecision normalize stringify',
  array: 'map filter split flat flatMap toSorted toReversed toSpliced keys values entries getOwnPropertyNames matchAll',
  number:
    'indexOf lastIndexOf findIndex findLastIndex charCodeAt codePointAt localeCompare getTime now parseInt parseFloat',
}
for (const [kind, names] of Object.entries(methods))
  for (const name of names.split(' ')) byMethod.set(name, kind as Kind)

/** `keys`, `values` and `entries` return arrays for `Object`, but iterators for everything else. */
const onlyOfObject = new Set(['keys', 'values', 'entries'])
const byFunction: Record<string, Kind> = {
  Number: 'number',
  parseInt: 'number',
  parseFloat: 'number',
  String: 'string',
  Boolean: 'boolean',
  isNaN: 'boolean',
  isFinite: 'boolean',
  encodeURIComponent: 'string',
  decodeURIComponent: 'string',
}

/** Returns the kind of an expression by its syntax. */
export function kindOf(raw: Node): Kind {
  const node = unwrap(raw)
  if (node.type === 'ChainExpression') return kindOf(node.expression)
  if (node.type === 'MemberExpression') {
    return !node.computed && ['length', 'size'].includes(nameOf(node.property)) ? 'number' : 'unknown'
  }
  if (node.type !== 'CallExpression') return 'unknown'
  const path = memberPath(node.callee)
  if (path?.length === 1) return byFunction[path[0] ?? ''] ?? 'unknown'
  if (path?.[0] === 'Math') return 'number'
  if (path?.[0] === 'Promise') return 'promise'
  if (node.callee.type !== 'MemberExpression' || node.callee.computed) return 'unknown'
  const name = nameOf(node.callee.property)
  if (path?.join('.') === 'Array.from' || path?.join('.') === 'Array.of') return 'array'
  if (name === 'test' && node.arguments.length === 1) return 'boolean'
  if (onlyOfObject.has(name) && path?.[0] !== 'Object') return 'unknown'
  return byMethod.get(name) ?? 'unknown'
}

const nameOf = (node: Node): string => (node.type === 'Identifier' ? node.name : '')

/** Returns the kind that a type annotation declares. For `Promise<T>` it is `promise`, but in an async function T. */
export function declaredKind(annotation: Node | null | undefined, isAsync = false): Kind {
  if (!annotation) return 'unknown'
  switch (annotation.type) {
    case 'TSTypeAnnotation':
      return declaredKind(annotation.typeAnnotation, isAsync)
    case 'TSNumberKeyword':
      return 'number'
    case 'TSBooleanKeyword':
      return 'boolean'
    case 'TSTypePredicate':
      return annotation.asserts ? 'nothing' : 'boolean'
    case 'TSStringKeyword':
    case 'TSTemplateLiteralType':
      return 'string'
    case 'TSArrayType':
      return 'array'
    case 'TSTypeOperator':
      return annotation.operator === 'readonly' ? declaredKind(annotation.typeAnnotation) : 'unknown'
    case 'TSVoidKeyword':
    case 'TSNeverKeyword':
    case 'TSUndefinedKeyword':
      return 'nothing'
    case 'TSUnionType': {
      const some = annotation.types.filter(
        (type) => type.type !== 'TSNullKeyword' && type.type !== 'TSUndefinedKeyword',
      )
      const [only] = some
      return some.length === 1 ? declaredKind(only, isAsync) : 'unknown'
    }
    case 'TSTypeReference': {
      const name = annotation.typeName.type === 'Identifier' ? annotation.typeName.name : ''
      if (name === 'Promise') return isAsync ? declaredKind(annotation.typeArguments?.params[0]) : 'promise'
      return byTypeName.get(name) ?? 'unknown'
    }
    default:
      return 'unknown'
  }
}

const byTypeName = new Map<string, Kind>([
  ['Array', 'array'],
  ['ReadonlyArray', 'array'],
  ['Map', 'map'],
  ['ReadonlyMap', 'map'],
  ['Set', 'set'],
  ['ReadonlySet', 'set'],
])

/** Returns the names that are declared as texts or lists anywhere in the file. `+` joins their values. */
export function joinedNames(program: Node): Set<string> {
  const names = new Set<string>()
  const note = (target: Node, annotation: Node | null | undefined, value?: Node | null) => {
    if (target.type !== 'Identifier') return
    const kind = declaredKind(annotation)
    if (kind === 'string' || kind === 'array' || (value && joins(value, names))) names.add(target.name)
  }
  const visit = (node: Node): void => {
    if (node.type === 'VariableDeclarator' && node.id.type === 'Identifier')
      note(node.id, node.id.typeAnnotation, node.init)
    else if (node.type === 'AssignmentPattern') note(node.left, null, node.right)
    else if (node.type === 'Identifier') note(node, 'typeAnnotation' in node ? node.typeAnnotation : null)
    else if (node.type === 'PropertyDefinition') note(node.key, node.typeAnnotation, node.value)
    else if (node.type === 'TSInterfaceBody' || node.type === 'TSTypeLiteral') {
      for (const member of node.type === 'TSInterfaceBody' ? node.body : node.members) {
        if (member.type === 'TSPropertySignature') note(member.key, member.typeAnnotation)
      }
    }
    if (node.type === 'TSTypeAliasDeclaration') visit(node.typeAnnotation)
    forEachChild(node, visit)
  }
  visit(program)
  return names
}

/** Whether `+` on the value probably joins texts or lists. */
export function joins(raw: Node, names: ReadonlySet<string>): boolean {
  const node = unwrap(raw)
  switch (node.type) {
    case 'Literal':
      return typeof node.value === 'string'
    case 'TemplateLiteral':
    case 'ArrayExpression':
      return true
    case 'Identifier':
      return names.has(node.name)
    case 'MemberExpression':
      return !node.computed && node.property.type === 'Identifier' && names.has(node.property.name)
    case 'ConditionalExpression':
      return joins(node.consequent, names) || joins(node.alternate, names)
    case 'LogicalExpression':
      return joins(node.left, names) || joins(node.right, names)
    case 'BinaryExpression':
      return node.operator === '+' && (joins(node.left, names) || joins(node.right, names))
    case 'UnaryExpression':
      return node.operator === 'typeof'
    default:
      return ['string', 'array'].includes(kindOf(node))
  }
}

/** Returns the value of a number literal. */
export function writtenNumber(raw: Node): number | undefined {
  const node = unwrap(raw)
  if (node.type === 'Literal' && typeof node.value === 'number') return node.value
  if (node.type !== 'UnaryExpression' || node.operator !== '-') return undefined
  const value = writtenNumber(node.argument)
  return value === undefined ? undefined : -value
}

export const isText = (node: Node): boolean => literalText(node) !== undefined
