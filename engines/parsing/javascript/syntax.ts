import { type Node, visitorKeys } from 'oxc-parser'

export type Child = Node | null | undefined

/** Types say nothing about what runs, and are a third of the nodes of TypeScript sources. */
const typeKeys = new Set([
  'typeAnnotation',
  'returnType',
  'typeParameters',
  'typeArguments',
  'superTypeArguments',
  'implements',
])

const childKeys = new Map(
  Object.entries(visitorKeys).map(([type, keys]) => [type, keys.filter((key) => !typeKeys.has(key))]),
)

/** The children of a node under one of its visitor keys: the tree is walked without knowing each node type. */
function childrenUnder(node: Node, key: string): Child | Child[] {
  // Visitor keys are generated from the same definitions as the node types, so what they lead to are nodes.
  return (node as unknown as Record<string, Child | Child[]>)[key]
}

/** Calls `visit` with each child that can matter at run time, in source order. */
export function forEachChild(node: Node, visit: (child: Node) => void): void {
  const keys = childKeys.get(node.type)
  if (!keys) return
  for (const key of keys) {
    const child = childrenUnder(node, key)
    if (Array.isArray(child)) {
      for (const item of child) if (item) visit(item)
    } else if (child) {
      visit(child)
    }
  }
}

/** The expression below type assertions and parentheses, which change nothing at run time. */
export function unwrap(node: Node): Node {
  let inner = node
  for (;;) {
    switch (inner.type) {
      case 'TSAsExpression':
      case 'TSSatisfiesExpression':
      case 'TSNonNullExpression':
      case 'TSTypeAssertion':
      case 'TSInstantiationExpression':
      case 'ParenthesizedExpression':
        inner = inner.expression
        break
      default:
        return inner
    }
  }
}

/** What a literal string or a template without holes says. */
export function literalText(node: Child): string | undefined {
  if (!node) return undefined
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value
  if (node.type === 'TemplateLiteral' && node.expressions.length === 0) return node.quasis[0]?.value.cooked ?? undefined
  return undefined
}

/** The beginning of a composed text: `visit` of `'visit' + type` and of a template. */
export function literalPrefix(node: Node): string {
  if (node.type === 'TemplateLiteral') return node.quasis[0]?.value.cooked ?? ''
  if (node.type === 'BinaryExpression' && node.operator === '+') {
    return literalText(node.left) ?? literalPrefix(node.left)
  }
  return ''
}

/** A property's or method's name as its users write it; undefined where only running the code would tell. */
export function keyName(key: Node, computed: boolean): string | undefined {
  if (key.type === 'PrivateIdentifier') return `#${key.name}`
  if (!computed && key.type === 'Identifier') return key.name
  if (key.type === 'Literal') return String(key.value)
  const path = memberPath(key)
  return path && `[${path.join('.')}]`
}

/** `a.b.c` as its parts; undefined for anything but names joined by dots. */
export function memberPath(node: Node): string[] | undefined {
  if (node.type === 'Identifier') return [node.name]
  if (node.type === 'ThisExpression') return ['this']
  if (node.type !== 'MemberExpression') return undefined
  const object = memberPath(unwrap(node.object))
  if (!object) return undefined
  if (!node.computed) return node.property.type === 'Identifier' ? [...object, node.property.name] : undefined
  const text = literalText(node.property)
  return text === undefined ? undefined : [...object, text]
}

/** `a = b.c = value` as its targets and the value that they all get. */
export function assignmentChain(node: Node): { targets: Node[]; value: Node } {
  const targets: Node[] = []
  let value = node
  while (value.type === 'AssignmentExpression' && value.operator === '=') {
    targets.push(value.left)
    value = unwrap(value.right)
  }
  return { targets, value }
}

export function isFunction(node: Node) {
  return node.type === 'FunctionExpression' || node.type === 'ArrowFunctionExpression'
}

/**
 * The function or object that a call at module level wraps and whose name the result takes over: `memo(() => …)`,
 * `defineStore('cart', () => …)`, `React.forwardRef(function …)`. Calls on values, such as `items.map(…)`, hand
 * their functions to other code.
 */
export function wrappedArgument(node: Node): Node | undefined {
  if (node.type === 'AwaitExpression') return wrappedArgument(node.argument)
  if (node.type !== 'CallExpression') return undefined
  const callee = unwrap(node.callee)
  const wraps =
    callee.type === 'Identifier' ||
    (callee.type === 'MemberExpression' && callee.object.type === 'Identifier' && /^[A-Z]/.test(callee.object.name))
  if (!wraps) return undefined
  for (const argument of node.arguments.map(unwrap)) {
    if (isFunction(argument) || argument.type === 'ObjectExpression') return argument
    const inner = wrappedArgument(argument)
    if (inner) return inner
  }
  return undefined
}
