/**
 * Checks whether a branch name matches a pattern in the syntax of code hosts: `*` matches any text without a slash,
 * `**` any text, `?` one character except a slash, and everything else itself.
 *
 * Each step keeps every position of the pattern that the text so far can reach, so that the time is at most the product
 * of both lengths. Libraries use regular expressions, for which a pattern of many stars can take hours.
 */
export function matchesBranch(pattern: string, branch: string): boolean {
  const parts = pattern.match(/\*\*|[^]/gu) ?? []
  let positions = skipStars(new Set([0]), parts)
  for (const character of branch) {
    const next = new Set<number>()
    for (const place of positions) {
      const part = parts[place]
      if (part === '**' || (part === '*' && character !== '/')) next.add(place)
      else if (part === character || (part === '?' && character !== '/')) next.add(place + 1)
    }
    positions = skipStars(next, parts)
  }
  return positions.has(parts.length)
}

/** Stars may match nothing. Iterating over a set also visits elements that are added meanwhile. */
function skipStars(positions: Set<number>, parts: string[]): Set<number> {
  for (const place of positions) if (parts[place] === '*' || parts[place] === '**') positions.add(place + 1)
  return positions
}
