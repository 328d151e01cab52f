/**
 * Whether a branch's name matches a pattern as code hosts have them: `*` stands for any text without a slash, `**` for
 * any text, `?` for one character that is no slash; everything else for itself.
 *
 * Each step keeps every place in the pattern at which the text so far may stand. The time is thus the product of both
 * lengths at the most, whatever a project's settings say: libraries translate patterns into regular expressions, which
 * a pattern of many stars keeps busy for hours.
 */
export function matchesBranch(pattern: string, branch: string): boolean {
  const parts = pattern.match(/\*\*|[^]/gu) ?? []
  let places = withSkips(new Set([0]), parts)
  for (const character of branch) {
    const next = new Set<number>()
    for (const place of places) {
      const part = parts[place]
      if (part === '**' || (part === '*' && character !== '/')) next.add(place)
      else if (part === character || (part === '?' && character !== '/')) next.add(place + 1)
    }
    places = withSkips(next, parts)
  }
  return places.has(parts.length)
}

/** Stars may stand for nothing. A set that grows while it is read also gives what was added. */
function withSkips(places: Set<number>, parts: string[]): Set<number> {
  for (const place of places) if (parts[place] === '*' || parts[place] === '**') places.add(place + 1)
  return places
}
