import type { Node, Program } from 'oxc-parser'
import { forEachChild, isFunction, literalText, memberPath, unwrap } from '../../parsing/javascript/syntax.ts'
import type { Dependences, DependenceKind, Found } from './schema.ts'

const words = (text: string) => new Set(text.split(' '))

/** Global names by what their use makes a result depend on. */
const globals: readonly (readonly [DependenceKind, ReadonlySet<string>])[] = [
  [
    'time',
    words('Intl Temporal performance setTimeout setInterval setImmediate requestAnimationFrame requestIdleCallback'),
  ],
  ['chance', words('crypto WeakRef FinalizationRegistry')],
  ['outside', words('fetch XMLHttpRequest WebSocket EventSource Worker SharedArrayBuffer Atomics Bun Deno')],
  ['shared_state', words('process globalThis global window document self navigator localStorage sessionStorage')],
  ['shared_state', words('vi jest sinon mock mockery td')],
  ['unknown', words('eval Function Reflect Proxy require')],
]
const kindOfGlobal = new Map(globals.flatMap(([kind, names]) => [...names].map((name) => [name, kind] as const)))

/** Modules whose functions depend only on their arguments. */
const pureModules =
  /^(?:node:)?(?:assert(?:\/strict)?|path(?:\/posix)?|util|url|querystring|string_decoder|buffer|test)$|^(?:vitest|mocha|chai|@jest\/globals|expect|uvu\/assert)$/

const mutating = words(
  'push pop shift unshift splice sort reverse fill copyWithin set add delete clear defineProperty assign setPrototypeOf',
)
const suites = words('describe suite context')
/** Calls at the top of a module that give a value that nothing changes. */
const pureCalls = /^(?:Object\.freeze|Symbol(?:\.for)?|Number|String|BigInt|Boolean|RegExp|BigInt\.asU?IntN)$/
const pureClasses = words('Error TypeError RangeError RegExp URL Date')

/** Finds what the result of the code can depend on beside its arguments. Says too much rather than too little. */
export function javaScriptDependences(program: Program): Dependences {
  const found: Found[] = []
  const imports: string[] = []
  const add = (kind: DependenceKind, what: string, { start }: Node) => void found.push({ kind, what, at: start })
  const note = (module: string) => {
    if (!pureModules.test(module)) imports.push(module)
  }
  const shared = sharedNames(program)

  const root = (node: Node): string | undefined => {
    const inner = unwrap(node)
    if (inner.type === 'Identifier') return inner.name
    if (inner.type === 'MemberExpression') return root(inner.object)
    return inner.type === 'CallExpression' ? root(inner.callee) : undefined
  }
  const fresh = freshNames(program)
  /** Whether tests may share the object: all do that the function has not just made. A caller may pass a shared one. */
  const isShared = (node: Node) => {
    const name = root(node)
    return name !== undefined && (shared.has(name) || !fresh.has(name))
  }
  const assigned = (target: Node, at: Node) => {
    const inner = unwrap(target)
    if (inner.type === 'MemberExpression' && isOfThis(inner)) {
      if (!isInstance) add('shared_state', 'assignment to this', at)
    } else if (
      inner.type === 'Identifier' ? shared.has(inner.name) : inner.type === 'MemberExpression' && isShared(inner)
    ) {
      add('shared_state', `assignment to ${nameOf(inner)}`, at)
    } else if (inner.type === 'ObjectPattern' || inner.type === 'ArrayPattern') {
      forEachChild(inner, (child) => assigned(child.type === 'Property' ? child.value : child, at))
    }
  }

  /** Whether `this` is an object of a class: others that change themselves may be shared. */
  let isInstance = false
  const within = (isInstanceThere: boolean, work: () => void) => {
    const before = isInstance
    isInstance = isInstanceThere
    work()
    isInstance = before
  }
  const visit = (node: Node): void => {
    switch (node.type) {
      case 'FunctionDeclaration':
      case 'FunctionExpression':
        within(false, () => forEachChild(node, visit))
        return
      case 'ExportDefaultDeclaration':
        if (
          node.declaration.type.endsWith('Expression') &&
          !isFunction(node.declaration) &&
          !isLasting(node.declaration)
        ) {
          add('shared_state', 'the default export, which tests share', node)
        }
        break
      case 'ImportDeclaration':
        if (node.importKind !== 'type') note(node.source.value)
        return
      case 'ExportAllDeclaration':
      case 'ExportNamedDeclaration':
        if (node.source && node.exportKind !== 'type') note(node.source.value)
        break
      case 'ImportExpression': {
        const module = literalText(node.source)
        if (module === undefined) add('unknown', 'import()', node)
        else note(module)
        break
      }
      case 'AssignmentExpression':
        assigned(node.left, node)
        break
      case 'UpdateExpression':
        assigned(node.argument, node)
        break
      case 'UnaryExpression':
        if (node.operator === 'delete') assigned(node.argument, node)
        break
      case 'NewExpression':
        if (nameOf(node.callee) === 'Date') {
          if (node.arguments.length === 0) add('time', 'new Date()', node)
          for (const argument of node.arguments) visit(argument)
          return
        }
        break
      case 'MetaProperty':
        add('outside', 'import.meta', node)
        return
      case 'CallExpression': {
        const callee = unwrap(node.callee)
        const name = nameOf(callee)
        if (name === 'require' && isNamed(node.arguments[0])) {
          note(literalText(node.arguments[0]) ?? '')
          return
        } else if (callee.type === 'MemberExpression' && changes(callee) && isShared(callee.object)) {
          add('shared_state', `${name}()`, node)
        } else if (callee.type === 'MemberExpression' && changes(callee) && nameOf(callee.object) === 'Object') {
          const [target] = node.arguments
          if (target && isShared(target)) add('shared_state', `${name}()`, node)
        }
        break
      }
      case 'MemberExpression':
        if (dateWithoutClock.has(nameOf(node)) || isPureMath(node)) return
        visit(node.object)
        if (node.computed) visit(node.property)
        if (!node.computed && node.property.type === 'Identifier' && node.property.name === 'constructor') {
          add('unknown', 'constructor', node)
        } else if (!node.computed && node.property.type === 'Identifier' && node.property.name === 'mock')
          add('shared_state', 'mock', node)
        return
      case 'Property':
        if (node.computed) visit(node.key)
        visit(node.value)
        return
      case 'MethodDefinition':
        if (node.computed) visit(node.key)
        within(!node.static, () => forEachChild(node.value, visit))
        return
      case 'PropertyDefinition':
        if (node.computed) visit(node.key)
        if (node.static && node.value && !isConstant(node.value)) add('shared_state', 'a static field', node)
        within(!node.static, () => node.value && visit(node.value))
        return
      case 'Identifier': {
        const kind = kindOfGlobal.get(node.name)
        if (kind !== undefined) add(kind, node.name, node)
        else if (node.name === 'Date') add('time', 'Date', node)
        else if (node.name === 'Math') add('chance', 'Math', node)
        return
      }
      default:
    }
    forEachChild(node, visit)
  }
  visit(program)
  for (const node of sharedValues(program)) add('shared_state', `\`${nameOf(node.id)}\`, which tests share`, node)
  return { found, imports }
}

/** Members of `Date` that do not look at the clock. */
const dateWithoutClock = new Set(['Date.UTC', 'Date.parse', 'Date.prototype'])

const isPureMath = (node: Extract<Node, { type: 'MemberExpression' }>) =>
  /^Math\.(?!random$)\w+$/.test(nameOf(node)) && !node.computed

const isOfThis = (node: Node): boolean => {
  const inner = unwrap(node)
  return inner.type === 'ThisExpression' || (inner.type === 'MemberExpression' && isOfThis(inner.object))
}

const isNamed = (argument: Node | undefined): boolean => literalText(argument) !== undefined

const nameOf = (node: Node): string => memberPath(unwrap(node))?.join('.') ?? 'a value'

const changes = ({ property, computed }: Extract<Node, { type: 'MemberExpression' }>) =>
  computed || (property.type === 'Identifier' && mutating.has(property.name))

/** The statements of a module and of the callbacks of suites: what several tests see. */
function* sharedStatements(program: Program): Generator<Node> {
  const waiting: Node[] = [...program.body]
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    yield node
    if (node.type === 'ExportNamedDeclaration' || node.type === 'ExportDefaultDeclaration') {
      if (node.declaration) waiting.push(node.declaration)
      continue
    }
    if (node.type === 'ExpressionStatement') waiting.push(...statementsOfSuite(node.expression))
    else if (node.type !== 'FunctionDeclaration' && node.type !== 'ClassDeclaration') {
      forEachChild(node, (inner) => {
        if (/Statement$|^VariableDeclaration$/.test(inner.type)) waiting.push(inner)
      })
    }
  }
}

function statementsOfSuite(node: Node): Node[] {
  if (node.type !== 'CallExpression') return []
  const [name = ''] = memberPath(unwrap(node.callee)) ?? []
  if (!suites.has(name)) return []
  return node.arguments.flatMap((argument) => {
    const given = unwrap(argument)
    const isCallback = given.type === 'FunctionExpression' || given.type === 'ArrowFunctionExpression'
    return isCallback && given.body?.type === 'BlockStatement' ? given.body.body : []
  })
}

const declarationsOf = (program: Program) =>
  [...sharedStatements(program)].filter((node) => node.type === 'VariableDeclaration')

/** Names that outlive a test: of imports, and of variables, functions and classes of the module and of suites. */
function sharedNames(program: Program): Set<string> {
  const names = new Set<string>()
  const declare = (pattern: Node): void => {
    if (pattern.type === 'Identifier') names.add(pattern.name)
    else forEachChild(pattern, (child) => declare(child.type === 'Property' ? child.value : child))
  }
  for (const node of sharedStatements(program)) {
    if (node.type === 'ImportDeclaration') for (const { local } of node.specifiers) names.add(local.name)
    if (node.type === 'VariableDeclaration') for (const { id } of node.declarations) declare(id)
    if ((node.type === 'FunctionDeclaration' || node.type === 'ClassDeclaration') && node.id) names.add(node.id.name)
  }
  return names
}

const makesNew = words(
  'map filter slice split concat flat flatMap toSorted toReversed toSpliced with entries keys values from of fromEntries structuredClone',
)

/** Names that only ever stand for an object that the function has just made. */
function freshNames(program: Program): Set<string> {
  const fresh = new Map<string, boolean>()
  const note = (name: string, isNew: boolean) => void fresh.set(name, isNew && (fresh.get(name) ?? true))
  const visit = (node: Node): void => {
    if (node.type === 'VariableDeclarator') {
      if (node.id.type === 'Identifier') note(node.id.name, node.init !== null && isNewObject(node.init))
      else namesIn(node.id, (name) => note(name, false))
    } else if (node.type === 'AssignmentExpression' && node.left.type === 'Identifier') {
      note(node.left.name, isNewObject(node.right))
    } else if ('params' in node && Array.isArray(node.params)) {
      for (const parameter of node.params) namesIn(parameter, (name) => note(name, false))
    } else if (node.type === 'CatchClause' && node.param) namesIn(node.param, (name) => note(name, false))
    forEachChild(node, visit)
  }
  visit(program)
  return new Set([...fresh].flatMap(([name, isFresh]) => (isFresh ? name : [])))
}

function namesIn(pattern: Node, note: (name: string) => void): void {
  if (pattern.type === 'Identifier') note(pattern.name)
  else if (pattern.type === 'AssignmentPattern') namesIn(pattern.left, note)
  else forEachChild(pattern, (child) => namesIn(child.type === 'Property' ? child.value : child, note))
}

function isNewObject(value: Node): boolean {
  const node = unwrap(value)
  if (node.type === 'ArrayExpression' || node.type === 'ObjectExpression' || node.type === 'NewExpression') return true
  if (node.type !== 'CallExpression') return false
  const callee = unwrap(node.callee)
  if (callee.type === 'Identifier') return makesNew.has(callee.name)
  return (
    callee.type === 'MemberExpression' && callee.property.type === 'Identifier' && makesNew.has(callee.property.name)
  )
}

/** Variables of a module or suite whose value can change, or is known only when the code runs. */
function sharedValues(program: Program) {
  return declarationsOf(program).flatMap((declaration) =>
    declaration.declarations.filter(({ init, id }) => {
      if (init && isRequire(init)) return false
      const isFixed = declaration.kind === 'const' && init && id.type === 'Identifier'
      return !isFixed || !isLasting(init)
    }),
  )
}

const isRequire = (node: Node) => {
  const called = unwrap(node)
  const call = called.type === 'MemberExpression' ? unwrap(called.object) : called
  return call.type === 'CallExpression' && nameOf(call.callee) === 'require' && isNamed(call.arguments[0])
}

/** Whether nothing changes the value, unless code assigns to a part of it, which is found where it does. */
function isLasting(value: Node): boolean {
  const node = unwrap(value)
  switch (node.type) {
    case 'ArrayExpression':
      return node.elements.length > 0
    case 'ObjectExpression':
      return node.properties.length > 0
    case 'NewExpression':
      return pureClasses.has(nameOf(node.callee)) && !hasPosition(node)
    case 'CallExpression':
      return pureCalls.test(nameOf(node.callee))
    case 'AwaitExpression':
    case 'YieldExpression':
    case 'TaggedTemplateExpression':
      return false
    case 'ConditionalExpression':
      return isLasting(node.consequent) && isLasting(node.alternate)
    case 'LogicalExpression':
      return isLasting(node.left) && isLasting(node.right)
    case 'Literal':
      return !('regex' in node) || !/[gy]/.test(node.regex.flags)
    default:
      return true
  }
}

/** A regular expression with the flag `g` or `y` remembers where it stopped. */
const hasPosition = ({ arguments: [, flags] }: Extract<Node, { type: 'NewExpression' }>) =>
  flags !== undefined && !/^[^gy]*$/.test(literalText(flags) ?? 'g')

const isConstant = (value: Node) => {
  const node = unwrap(value)
  return node.type === 'Literal' || node.type === 'TemplateLiteral' || isFunction(node)
}
