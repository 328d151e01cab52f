/**
 * Deeper than any source written by hand or by a bundler. oxc descends on the native stack and takes its process
 * down from about 8,000 levels on; the walk over its tree gives up with a RangeError from about 2,000.
 */
const maxDepth = 1_500

/** What each ASCII character does to the depth. */
const steps = new Int8Array(128)
for (const bracket of '([{') steps[bracket.charCodeAt(0)] = 1
for (const bracket of ')]}') steps[bracket.charCodeAt(0)] = -1

/**
 * Says whether brackets pile up so high that parsing could overflow the native stack. Brackets in strings and
 * comments count too: telling them apart would take the very parser that is being protected.
 */
export function nestsTooDeep(source: string): boolean {
  if (source.length <= maxDepth) return false
  let depth = 0
  for (let index = 0; index < source.length; index += 1) {
    depth += steps[source.charCodeAt(index)] ?? 0
    if (depth > maxDepth) return true
    if (depth < 0) depth = 0
  }
  return false
}
