const maxCompared = 50_000
const maxLength = 200

/**
 * Returns the names that come closest to one that does not exist, best first: those that contain it or its last part,
 * and those that differ from it by a few characters.
 */
export function nearNames(wanted: string, names: Iterable<string>, max = 3): string[] {
  const target = wanted.toLowerCase().slice(0, maxLength)
  const last = lastPart(target)
  const found: { name: string; distance: number }[] = []
  let compared = 0
  for (const name of new Set(names)) {
    if (++compared > maxCompared) break
    const text = name.toLowerCase().slice(0, maxLength)
    const end = lastPart(text)
    // The same name in another place comes before a similar one in the same place.
    const distance = Math.min(
      end === last ? 0.5 : editDistance(target, text, Math.max(2, Math.floor(target.length / 4))),
      1 + editDistance(last, end, Math.max(1, Math.floor(last.length / 3))),
      last.length > 2 && text.includes(last) ? 2.5 : Infinity,
    )
    if (distance < Infinity) found.push({ name, distance })
  }
  return found
    .toSorted((a, b) => a.distance - b.distance || a.name.length - b.name.length || (a.name < b.name ? -1 : 1))
    .slice(0, max)
    .map(({ name }) => name)
}

/** `b.ts` of `src/b.ts`, `add` of `Queue.add`. A trailing part of a file name stays with it. */
function lastPart(name: string): string {
  const slash = name.lastIndexOf('/')
  if (slash !== -1) return name.slice(slash + 1)
  const dot = name.lastIndexOf('.')
  return dot === -1 ? name : name.slice(dot + 1)
}

/** Counts the characters to change, add or remove; Infinity if there are more than `max`. */
function editDistance(one: string, other: string, max: number): number {
  if (Math.abs(one.length - other.length) > max) return Infinity
  let before = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let row = 1; row <= one.length; row++) {
    const current = [row]
    let least = row
    for (let column = 1; column <= other.length; column++) {
      const replaced = (before[column - 1] ?? 0) + (one[row - 1] === other[column - 1] ? 0 : 1)
      const value = Math.min(replaced, (before[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1)
      current.push(value)
      least = Math.min(least, value)
    }
    if (least > max) return Infinity
    before = current
  }
  const distance = before[other.length] ?? Infinity
  return distance > max ? Infinity : distance
}
