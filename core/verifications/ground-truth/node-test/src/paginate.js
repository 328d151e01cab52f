/** One page of a list, counted from 1, and whether there are others. */
export function paginate(items, { page = 1, size = 10 } = {}) {
  const pages = Math.max(1, Math.ceil(items.length / size))
  if (!Number.isInteger(page) || page < 1 || page > pages) throw new RangeError(`page ${page} of ${pages}`)
  const start = (page - 1) * size
  return { items: items.slice(start, start + size), page, pages, hasNext: page < pages }
}
