import { isAlias, isMap, isScalar, isSeq, parseDocument } from 'yaml'

/** Deeper values are left out: no reader looks there. */
const maxDepth = 20

/**
 * Reads YAML with text for every scalar. Leaves out mappings as keys, which `parse` would write out as text again for
 * each level of a nested one, and aliases of anything but a scalar, which could expand to huge values.
 *
 * @throws Error for text that is not YAML; RangeError if it is nested too deeply
 */
export function readYaml(source: string): unknown {
  const document = parseDocument(source, {
    schema: 'failsafe',
    uniqueKeys: false,
    logLevel: 'silent',
    // Errors with a picture of the source read it from its beginning, each of them.
    prettyErrors: false,
  })
  const [error] = document.errors
  if (error) throw error
  return plainValue(document.contents, new Map(), 0)
}

function plainValue(node: unknown, anchors: Map<string, unknown>, depth: number): unknown {
  if (depth > maxDepth) return undefined
  if (isScalar(node)) {
    if (node.anchor !== undefined) anchors.set(node.anchor, node.value)
    return node.value
  }
  if (isAlias(node)) return anchors.get(node.source)
  if (isSeq(node)) return node.items.map((item) => plainValue(item, anchors, depth + 1))
  if (!isMap(node)) return undefined
  const entries = node.items.flatMap(({ key, value }) => {
    const name = plainValue(key, anchors, depth + 1)
    return typeof name === 'string' ? [[name, plainValue(value, anchors, depth + 1)] as const] : []
  })
  return Object.fromEntries(entries)
}
