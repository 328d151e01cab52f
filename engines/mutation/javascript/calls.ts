import type { CallExpression, Node } from 'oxc-parser'
import { isFunction, memberPath, unwrap } from '../../parsing/javascript/syntax.ts'

const loggers = /^(?:console|log|logger|logging|debug|trace|winston|pino|bunyan|log4js|telemetry|metrics|tracer)$/i

/** Whether a call only logs. Its arguments are not mutated. */
export function isLogging(call: CallExpression): boolean {
  const path = pathOf(call)
  if (!path) return false
  const [root = '', ...rest] = path[0] === 'this' ? path.slice(1) : path
  return loggers.test(root) || rest.slice(0, -1).some((part) => loggers.test(part))
}

/** Calls that load modules, and helpers that compilers add. */
const loading = new Set(['require', '__importStar', '__importDefault', '__exportStar', '__export', '__createBinding'])
export function isModuleWork(call: CallExpression): boolean {
  const path = pathOf(call)?.join('.') ?? ''
  const [first] = call.arguments
  const target = first?.type === 'Identifier' ? first.name : ''
  return loading.has(path) || (path === 'Object.defineProperty' && /^(?:module|exports)$/.test(target))
}

/** Without these calls the program waits forever, which says nothing about a test. */
const flow = new Set(
  'resolve reject done cb callback next release unlock lock acquire close end exit unref ref'.split(' '),
)
/** Calls without an effect that a test can see. */
const housekeeping = new Set(
  'clearTimeout clearInterval clearImmediate cancelAnimationFrame removeEventListener freeze seal preventExtensions mark measure gc'.split(
    ' ',
  ),
)
const waiting = new Set('sleep delay wait pause nextTick tick setTimeout setImmediate flush settled'.split(' '))

/** Whether a test could detect the removal of a call whose value is not used. */
export function isWorthRemoving(call: CallExpression, awaited: boolean): boolean {
  const callee = unwrap(call.callee)
  if (callee.type === 'Super' || isFunction(callee) || isLogging(call) || isModuleWork(call)) return false
  if (callee.type === 'MemberExpression' && callee.object.type === 'Super') return false
  const name = pathOf(call)?.at(-1) ?? ''
  return !flow.has(name) && !housekeeping.has(name) && !(awaited && waiting.has(name))
}

/** Returns the names of a called function and its objects; only `b` for `a().b()`. */
export function pathOf({ callee }: CallExpression): string[] | undefined {
  const inner = unwrap(callee)
  const path = memberPath(inner)
  if (path || inner.type !== 'MemberExpression' || inner.computed) return path
  return inner.property.type === 'Identifier' ? ['', inner.property.name] : undefined
}

/** Returns the call if a statement is nothing else. */
export function calledBy(expression: Node): { call: CallExpression; awaited: boolean } | undefined {
  let node = unwrap(expression)
  const awaited = node.type === 'AwaitExpression'
  if (node.type === 'AwaitExpression') node = unwrap(node.argument)
  if (node.type === 'ChainExpression') node = unwrap(node.expression)
  return node.type === 'CallExpression' ? { call: node, awaited } : undefined
}

/** Methods that use the boolean result of a function for each element. */
const asking = new Set('filter some every find findIndex findLast findLastIndex'.split(' '))
export const asks = (call: CallExpression): boolean => asking.has(pathOf(call)?.at(-1) ?? '')

/** Methods whose arguments are positions in a text or list. */
const slicing = new Set('slice substring substr splice subarray at charAt charCodeAt codePointAt'.split(' '))
export const slices = (call: CallExpression): boolean => {
  const path = pathOf(call)
  return path !== undefined && path.length > 1 && slicing.has(path.at(-1) ?? '')
}
