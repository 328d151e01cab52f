type Key<Item> = (item: Item) => string | number

/** Sorted by the keys, the first of which decides first; equals stay as they are. */
export function sortBy<Item>(items: readonly Item[], ...keys: Key<Item>[]): Item[] {
  return items.toSorted((a, b) => {
    for (const key of keys) {
      const [first, second] = [key(a), key(b)]
      if (first !== second) return first < second ? -1 : 1
    }
    return 0
  })
}
