/** Pieces of so many, the last of which may be smaller. */
export function chunk<Item>(items: readonly Item[], size: number): Item[][] {
  if (!Number.isInteger(size) || size < 1) throw new RangeError(`pieces of ${size} cannot be made`)
  const pieces: Item[][] = []
  for (let at = 0; at < items.length; at += size) pieces.push(items.slice(at, at + size))
  return pieces
}
