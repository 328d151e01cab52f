import type { CallExpression, Node, Program } from 'oxc-parser'
import { isFunction } from '../mutation/javascript/targets.ts'
import { forEachChild, memberPath, unwrap } from '../parsing/javascript/syntax.ts'

const tests = new Set(['test', 'it', 'specify', 'fit'])
const groups = new Set(['describe', 'suite', 'context', 'fdescribe'])
const hooksOfEach = new Set(['beforeEach', 'setup'])
const hooksAtEnd = new Set(['after', 'afterAll', 'suiteTeardown'])
const assertions = /^(?:assert|expect|should)/i
/** Calls whose results keep no state that matters: modules, mocks, which runners reset, paths and texts. */
const stateless =
  /^(?:require|createRequire|fn|spyOn|mock|mocked|stub|spy|resolve|join|dirname|fileURLToPath|readFileSync|bind|promisify|String|Number|Object|stringify|parse|freeze|from|map|filter|repeat|trim|split|expect|extend|each|only|skip)$/
/** Classes whose objects tests only read. */
const values = new Set(['Date', 'RegExp', 'URL', 'Error', 'TypeError', 'TextEncoder', 'TextDecoder'])
const changing = new Set(
  'push pop shift unshift splice sort reverse fill set add delete clear append write emit'.split(' '),
)

/** How tests use a variable that they share. */
interface Use {
  /** The callbacks that name it. */
  users: Set<Node>
  isChanged: boolean
  isAssigned: boolean
  isCalled: boolean
}

type Kind = 'object' | 'literal' | 'empty' | 'other'

/**
 * Whether the tests of a file share state that they change: a variable outside of them that a test assigns, an object
 * whose methods they call, a list that they fill; or whether a hook after all tests asserts, or the exit code does.
 */
export function sharesState(program: Program): boolean {
  const kinds = new Map<string, Kind>()
  const uses = new Map<string, Use>()
  const renewed = new Set<string>()
  let isKnown = false

  const useOf = (name: string, callback: Node): Use => {
    const use = uses.get(name) ?? { users: new Set(), isChanged: false, isAssigned: false, isCalled: false }
    uses.set(name, use)
    use.users.add(callback)
    return use
  }
  const readCallback = (node: Node, callback: Node): void => {
    if (node.type === 'AssignmentExpression' || node.type === 'UpdateExpression') {
      const target = node.type === 'AssignmentExpression' ? node.left : node.argument
      const path = memberPath(unwrap(target)) ?? []
      if (path.join('.') === 'process.exitCode') isKnown = true
      const [name] = path
      if (name !== undefined && path.length === 1) useOf(name, callback).isAssigned = true
      if (name !== undefined && path.length > 1) useOf(name, callback).isChanged = true
    }
    if (node.type === 'CallExpression') {
      const path = memberPath(unwrap(node.callee)) ?? []
      const [name, method] = path
      if (name !== undefined && path.length > 1) {
        const use = useOf(name, callback)
        use.isCalled = true
        if (path.length === 2 && changing.has(method ?? '')) use.isChanged = true
      }
      if (path.join('.') === 'process.on') isKnown = true
    }
    if (node.type === 'Identifier') useOf(node.name, callback)
    forEachChild(node, (child) => readCallback(child, callback))
  }
  const readHookOfEach = (node: Node): void => {
    if (node.type === 'AssignmentExpression') {
      const [name] = memberPath(unwrap(node.left)) ?? []
      if (name !== undefined) renewed.add(name)
    }
    forEachChild(node, readHookOfEach)
  }
  const visit = (node: Node): void => {
    if (isFunction(node)) return
    if (node.type === 'VariableDeclarator' && node.id.type === 'Identifier') kinds.set(node.id.name, kindOf(node.init))
    const callback = node.type === 'CallExpression' ? node.arguments.findLast((one) => isFunction(one)) : undefined
    if (node.type !== 'CallExpression' || !callback) return forEachChild(node, visit)
    const [name = ''] = calledOf(node)
    if (tests.has(name)) readCallback(callback, callback)
    else if (groups.has(name)) forEachChild(callback, visit)
    else if (hooksOfEach.has(name)) readHookOfEach(callback)
    else if (hooksAtEnd.has(name)) isKnown ||= asserts(callback)
  }
  visit(program)
  if (isKnown) return true
  return [...uses].some(([name, { users, isAssigned, isChanged, isCalled }]) => {
    const kind = kinds.get(name)
    if (kind === undefined || renewed.has(name) || users.size < 2) return false
    if (kind === 'empty') return true
    return isAssigned || (kind === 'literal' && isChanged) || (kind === 'object' && (isCalled || isChanged))
  })
}

/** `test` and `only` of `test.only`, `it.each([...])('...')`. */
function calledOf({ callee }: CallExpression): readonly string[] {
  const called = unwrap(callee)
  if (called.type === 'CallExpression') return calledOf(called)
  if (called.type === 'TaggedTemplateExpression') return memberPath(unwrap(called.tag)) ?? []
  return memberPath(called) ?? []
}

function kindOf(init: Node | null): Kind {
  const value = init === null ? null : unwrap(init.type === 'AwaitExpression' ? init.argument : init)
  switch (value?.type) {
    case 'NewExpression':
      return values.has(memberPath(unwrap(value.callee))?.at(-1) ?? '') ? 'other' : 'object'
    case 'CallExpression': {
      const called = calledOf(value).at(-1)
      return called === undefined || stateless.test(called) ? 'other' : 'object'
    }
    case 'ArrayExpression':
      return value.elements.length === 0 ? 'empty' : 'literal'
    case 'ObjectExpression':
      return value.properties.length === 0 ? 'empty' : 'literal'
    default:
      return 'other'
  }
}

function asserts(node: Node): boolean {
  let found = false
  const visit = (inner: Node): void => {
    if (inner.type === 'ThrowStatement') found = true
    if (inner.type === 'CallExpression' && assertions.test(calledOf(inner)[0] ?? '')) found = true
    if (!found) forEachChild(inner, visit)
  }
  visit(node)
  return found
}
