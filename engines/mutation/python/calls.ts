import { child, type SyntaxNode } from '../../parsing/syntax-tree.ts'

type Text = (node: SyntaxNode) => string

const loggers = /^(?:logging|log|logger|_log|_logger|LOG|LOGGER|warnings|structlog|console|metrics|tracer)$/
/** Without these calls a thread waits forever or the process ends, which says nothing about a test. */
const flow = new Set('acquire release notify notify_all set_result set_exception task_done exit _exit close'.split(' '))
const waiting = new Set(['sleep', 'collect'])

/** Returns the dotted name of a called function, with `''` for parts that are not names. */
export function calledName(call: SyntaxNode, text: Text): string[] {
  const path: string[] = []
  let node = child(call, 'function')
  while (node?.type === 'attribute') {
    const name = child(node, 'attribute')
    path.unshift(name ? text(name) : '')
    node = child(node, 'object')
  }
  path.unshift(node?.type === 'identifier' ? text(node) : '')
  return path
}

/** Whether a call only logs. */
export function isLogging(call: SyntaxNode, text: Text): boolean {
  const path = calledName(call, text)
  if (path.length === 1) return path[0] === 'print' || path[0] === 'pprint'
  return path.slice(0, -1).some((part) => loggers.test(part))
}

/** Whether a test could detect the removal of a call whose value is not used. */
export function isWorthRemoving(call: SyntaxNode, text: Text): boolean {
  if (isLogging(call, text)) return false
  const callee = child(call, 'function')
  if (callee && /^super\b/.test(text(callee))) return false
  const name = calledName(call, text).at(-1) ?? ''
  return !flow.has(name) && !waiting.has(name)
}
