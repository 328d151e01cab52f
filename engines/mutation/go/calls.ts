import { child, type SyntaxNode } from '../../parsing/syntax-tree.ts'

type Text = (node: SyntaxNode) => string

const logging =
  /^(?:log|slog|logger|glog|klog|zap|logrus|fmt\.(?:Fp|P)rint(?:f|ln)?$)|^(?:\w+\.)*(?:log|logger|Log|Logger)\.|^print(?:ln)?$/
/** Calls that end the program or print messages. Their arguments are not mutated. */
const telling = /^(?:panic|errors\.New|fmt\.Errorf|os\.Exit|errors\.(?:Wrapf?|Errorf))$/
/** Without these calls a goroutine waits forever, which says nothing about a test. */
const flow =
  /^(?:close|recover|cancel|stop)$|\.(?:R?Lock|R?Unlock|Done|Wait|Signal|Broadcast|Close|Stop|Goexit|Gosched|GC|Sleep|Helper)$|^(?:\w+\.)*(?:wg|\w*[wW]aitGroup)\.|^runtime\./

export const calledName = (call: SyntaxNode, text: Text): string => {
  const called = child(call, 'function')
  return called ? text(called).replace(/\s+/g, '') : ''
}

export function tellsPeople(call: SyntaxNode, text: Text): boolean {
  const name = calledName(call, text)
  return logging.test(name) || telling.test(name)
}

/** Whether a test could detect the removal of a call whose value is not used. */
export function isWorthRemoving(call: SyntaxNode, text: Text): boolean {
  return (
    !tellsPeople(call, text) && !flow.test(calledName(call, text)) && child(call, 'function')?.type !== 'func_literal'
  )
}
