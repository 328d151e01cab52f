export interface Tile<Item> {
  item: Item
  x: number
  y: number
  width: number
  height: number
}

interface Weighted<Item> {
  item: Item
  area: number
}

/**
 * Fills a rectangle with one tile for each item, whose area is proportional to its weight, and as close to a square as
 * possible (Bruls, Huizing and van Wijk, "Squarified treemaps"). Items without weight get no tile.
 */
export function squarify<Item>(
  items: readonly Item[],
  weightOf: (item: Item) => number,
  width: number,
  height: number,
): Tile<Item>[] {
  const weighted = items.filter((item) => weightOf(item) > 0).toSorted((a, b) => weightOf(b) - weightOf(a))
  const total = weighted.reduce((sum, item) => sum + weightOf(item), 0)
  if (total === 0 || width <= 0 || height <= 0) return []
  const scale = (width * height) / total
  const rest = weighted.map((item) => ({ item, area: weightOf(item) * scale }))
  const tiles: Tile<Item>[] = []
  const free = { x: 0, y: 0, width, height }
  for (let at = 0; at < rest.length;) {
    const side = Math.min(free.width, free.height)
    let end = at + 1
    while (end < rest.length && worst(rest.slice(at, end + 1), side) <= worst(rest.slice(at, end), side)) end += 1
    const row = rest.slice(at, end)
    const area = row.reduce((sum, each) => sum + each.area, 0)
    const isColumn = free.width >= free.height
    const depth = side > 0 ? area / side : 0
    let along = 0
    for (const each of row) {
      const length = depth > 0 ? each.area / depth : 0
      tiles.push(
        isColumn
          ? { item: each.item, x: free.x, y: free.y + along, width: depth, height: length }
          : { item: each.item, x: free.x + along, y: free.y, width: length, height: depth },
      )
      along += length
    }
    if (isColumn) {
      free.x += depth
      free.width = Math.max(0, free.width - depth)
    } else {
      free.y += depth
      free.height = Math.max(0, free.height - depth)
    }
    at = end
  }
  return tiles
}

/** The ratio of the sides of the least square tile in a row. */
function worst(row: readonly Weighted<unknown>[], side: number): number {
  const area = row.reduce((sum, each) => sum + each.area, 0)
  const depth = area / side
  return Math.max(...row.map((each) => Math.max((depth * depth) / each.area, each.area / (depth * depth))))
}
