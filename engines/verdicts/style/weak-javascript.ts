import type { Node } from 'oxc-parser'
import { memberPath, unwrap } from '../../parsing/javascript/syntax.ts'

/** Matchers that ask whether there is something, of what type it is, or whether a mock was called at all. */
const weakMatchers =
  /^(?:toBeDefined|toBeTypeOf|toBeInstanceOf|toHaveBeenCalled|toHaveBeenCalledOnce|toBeCalled|a|an|instanceof|instanceOf|exist|called|calledOnce)$/
/** The same of these where they are turned round. */
const weakIfNot = /^(?:toBeNull|toBeUndefined|toBeNaN|toThrow|toThrowError|throw|throws|null|undefined)$/
const equalities = /^(?:toBe|toEqual|toStrictEqual|equal|eql|strictEqual|deepEqual|deepStrictEqual|is)$/
const inequalities = /^(?:notEqual|notStrictEqual|notDeepEqual|notDeepStrictEqual|not)$/

/** Whether `expect(value).…`, up to and including the last name of the chain, says next to nothing of the value. */
export function isWeakExpectation(chain: Node, given: readonly Node[]): boolean {
  const names: string[] = []
  let node = unwrap(chain)
  while (node.type === 'MemberExpression') {
    names.unshift(!node.computed && node.property.type === 'Identifier' ? node.property.name : '')
    node = unwrap(node.object)
  }
  if (node.type !== 'CallExpression' || names.includes('rejects')) return false
  const [value] = node.arguments
  const matcher = names.at(-1) ?? ''
  if (names.includes('not')) return weakIfNot.test(matcher)
  if (matcher === 'toHaveProperty') return given.length === 1
  if (weakMatchers.test(matcher)) return true
  return equalities.test(matcher) && (isAny(given[0]) || (value !== undefined && isWeakClaim(value, true)))
}

/** Whether a function of node:assert, or of one like it, is asked as little. */
export function isWeakAssert(method: string, [first, second]: readonly Node[]): boolean {
  if (
    /^(?:doesNotThrow|doesNotReject|notThrows|notThrowsAsync|ifError|isDefined|exists|isObject|isString|isArray)$/.test(
      method,
    )
  )
    return true
  if (first === undefined) return false
  if (equalities.test(method)) return isWeakClaim(first, true)
  if (inequalities.test(method)) return isNothing(second)
  return /^(?:ok|assert|isTrue|true|truthy)$/.test(method) && isWeakClaim(first, false)
}

/** @param asked - it is compared with something, so that `typeof value` by itself is a claim */
function isWeakClaim(raw: Node, asked: boolean): boolean {
  const node = unwrap(raw)
  switch (node.type) {
    case 'UnaryExpression':
      return asked && node.operator === 'typeof'
    case 'LogicalExpression':
      return isWeakClaim(node.left, asked) && isWeakClaim(node.right, asked)
    case 'CallExpression':
      return memberPath(unwrap(node.callee))?.join('.') === 'Array.isArray'
    case 'MemberExpression':
      return !node.computed && node.property.type === 'Identifier' && /^called(?:Once)?$/.test(node.property.name)
    case 'BinaryExpression': {
      const { operator, left, right } = node
      if (operator === 'instanceof') return true
      if (/^!==?$/.test(operator)) return isNothing(right) || isNothing(left)
      if (/^===?$/.test(operator)) return isWeakClaim(left, true)
      const least = unwrap(right)
      const isSome = least.type === 'Literal' && least.value === (operator === '>' ? 0 : 1)
      return /^>=?$/.test(operator) && isSome && countsCalls(left)
    }
    default:
      return false
  }
}

/** `work.mock.callCount()`, `work.mock.calls.length`, `work.callCount`. */
function countsCalls(raw: Node): boolean {
  const node = unwrap(raw)
  const path = memberPath(node.type === 'CallExpression' ? unwrap(node.callee) : node)?.join('.') ?? ''
  return /\.(?:callCount|calls\.length)$/.test(path)
}

function isNothing(raw: Node | undefined): boolean {
  if (!raw) return false
  const node = unwrap(raw)
  return (node.type === 'Literal' && node.value === null) || (node.type === 'Identifier' && node.name === 'undefined')
}

function isAny(raw: Node | undefined): boolean {
  const node = raw && unwrap(raw)
  const path = node?.type === 'CallExpression' ? memberPath(unwrap(node.callee))?.join('.') : undefined
  return path === 'expect.any' || path === 'expect.anything'
}
