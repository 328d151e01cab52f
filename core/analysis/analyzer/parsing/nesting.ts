/**
 * Deeper than any source written by hand or by a bundler. oxc descends on the native stack and takes its process
 * down from about 8,000 levels on; the walk over its tree gives up with a RangeError from about 2,000.
 */
const maxDepth = 1_500

const open = new Set(['(', '[', '{'].map((bracket) => bracket.charCodeAt(0)))
const closed = new Set([')', ']', '}'].map((bracket) => bracket.charCodeAt(0)))

/**
 * Says whether brackets pile up so high that parsing could overflow the native stack. Brackets in strings and
 * comments count too: telling them apart would take the very parser that is being protected.
 */
export function nestsTooDeep(source: string): boolean {
  // Every level takes a character to open and one to close.
  if (source.length <= maxDepth) return false
  let depth = 0
  for (let index = 0; index < source.length; index += 1) {
    const code = source.charCodeAt(index)
    if (code < 40 || code > 125) continue
    if (open.has(code)) {
      depth += 1
      if (depth > maxDepth) return true
    } else if (closed.has(code) && depth > 0) {
      depth -= 1
    }
  }
  return false
}
