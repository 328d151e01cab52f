// Tells the branches of code from the blocks that V8 counts only because the code before them may not come to an end.

/** How far before a block the condition is looked for that it belongs to. */
const maxCondition = 2000

/**
 * Whether a block of a script is a branch. V8 also counts what follows a statement that contains `throw`, `return`,
 * `break` or `yield`.
 * @param {string} text - the script
 * @param {number} start
 * @param {number} end
 */
export function isBranch(text, start, end) {
  const block = text.slice(start, end)
  if (/^\s*else\b/.test(block)) return true
  if (/^[\s),;\]]/.test(block)) return false
  return !/[;}]/.test(text[start - 1] ?? ';') || /^(?:case\b|default\b|catch\b|[:?|&])/.test(block)
}

/**
 * Whether a branch begins at the place of a source. Other than for a script, V8's own boundaries are not known, only
 * the first place in the block that the source map has.
 * @param {string} text - the source
 * @param {number} at
 */
export function mayBeBranch(text, at) {
  if (/^(?:else\b|case\b|default\b|catch\b|[{:?|&])/.test(text.slice(at, at + 8))) return true
  // A map may begin with what follows the keyword of a statement.
  const before = text
    .slice(Math.max(0, at - maxCondition), at)
    .replace(/\b(?:throw|return|await|yield|new|const|let|var)\s*$/, '')
    .trimEnd()
  if (/\bcatch\s*\($/.test(before)) return true
  if (!before.endsWith(')')) return /(?:[{:?|&=]|\b(?:else|do|try|default))$/.test(before)
  let depth = 0
  for (let place = before.length - 1; place >= 0; place--) {
    if (before[place] === ')') depth++
    else if (before[place] === '(' && --depth === 0)
      return /\b(?:if|for|while|catch|await)$/.test(before.slice(0, place).trimEnd())
  }
  return true
}
