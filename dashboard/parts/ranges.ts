export type Range = readonly [from: number, to: number]

/** Reads ranges of lines as the API writes them, such as `3-7,12`. */
export function parseRanges(text: string): Range[] {
  return text
    .split(',')
    .filter((each) => each !== '')
    .map((each) => {
      const [from = '', to = from] = each.split('-')
      return [Number(from), Number(to)] as const
    })
    .filter(([from, to]) => from > 0 && to >= from)
}

export const countLines = (ranges: readonly Range[]) => ranges.reduce((sum, [from, to]) => sum + to - from + 1, 0)

/** Writes ranges of lines as the API does. */
export const formatRanges = (ranges: readonly Range[]) =>
  ranges.map(([from, to]) => (from === to ? String(from) : `${from}-${to}`)).join(',')
