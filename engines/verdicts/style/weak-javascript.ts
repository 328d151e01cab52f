import type { Node } from 'oxc-parser'
import { memberPath, unwrap } from '../../parsing/javascript/syntax.ts'

/** Matchers that only check that a value exists or has a type, or that a mock was called. */
const weakMatchers =
  /^(?:toBeDefined|toBeTypeOf|toBeInstanceOf|toHaveBeenCalled|toHaveBeenCalledOnce|toBeCalled|a|an|instanceof|instanceOf|exist|called|calledOnce)$/
/** Matchers that are weak after `not`. */
const weakIfNot = /^(?:toBeNull|toBeUndefined|toBeNaN|toThrow|toThrowError|throw|throws|null|undefined)$/
const equalities = /^(?:toBe|toEqual|toStrictEqual|equal|eql|strictEqual|deepEqual|deepStrictEqual|is)$/
const inequalities = /^(?:notEqual|notStrictEqual|notDeepEqual|notDeepStrictEqual|not)$/

/** Whether an assertion says almost nothing about the value. `chain` is `expect(value).…` up to the last name. */
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

/** Whether an assertion of node:assert or a similar library says almost nothing about the value. */
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

/** @param compared - whether the value is compared with something, so that `typeof value` alone is a check */
function isWeakClaim(raw: Node, compared: boolean): boolean {
  const node = unwrap(raw)
  switch (node.type) {
    case 'UnaryExpression':
      return compared && node.operator === 'typeof'
    case 'LogicalExpression':
      return isWeakClaim(node.left, compared) && isWeakClaim(node.right, compared)
    case 'CallExpression':
      return memberPath(unwrap(node.callee))?.join('.') === 'Array.isArray'
    case 'MemberExpression':
      return !node.computed && node.property.type === 'Identifier' && /^called(?:Once)?$/.test(node.property.name)
    case 'BinaryExpression': {
      const { operator, left, right } = node
      if (operator === 'instanceof') return true
      if (/^!==?$/.test(operator)) return isNothing(right) || isNothing(left)
      if (/^===?$/.test(operator)) return isWeakClaim(left, true)
      const bound = unwrap(right)
      const isSome = bound.type === 'Literal' && bound.value === (operator === '>' ? 0 : 1)
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
