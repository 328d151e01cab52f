// Reads the ranges that V8 reports for the functions of a script.

/** How often each part of a script ran, from ranges that contain each other. */
export function countsOf(functions) {
  const ranges = functions.flatMap(({ ranges: own, isBlockCoverage }) =>
    own.map(({ startOffset: start, endOffset: end, count }, at) => ({
      start,
      end,
      count,
      isBlock: isBlockCoverage && at > 0,
    })),
  )
  ranges.sort((a, b) => a.start - b.start || b.end - a.end)
  const end = ranges[0]?.end ?? 0
  const starts = []
  const counts = []
  const begin = (at, count) => {
    if (starts.at(-1) === at) counts[counts.length - 1] = count
    else {
      starts.push(at)
      counts.push(count)
    }
  }
  const open = []
  const closeUntil = (at) => {
    for (let last = open.at(-1); last && last.end <= at; last = open.at(-1)) {
      open.pop()
      begin(last.end, open.at(-1)?.count ?? 0)
    }
  }
  for (const range of ranges) {
    closeUntil(range.start)
    begin(range.start, range.count)
    open.push(range)
  }
  closeUntil(Infinity)
  /** The part that contains the place. */
  const indexOf = (place) => {
    let [low, high] = [0, starts.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (starts[middle] <= place) low = middle + 1
      else high = middle
    }
    return low - 1
  }
  return {
    end,
    /** Those that the script declares: neither the script itself nor the fields of a class. */
    functions: functions.flatMap(({ functionName = '', ranges: [own] }) =>
      !own || (own.startOffset === 0 && own.endOffset === end) || functionName.startsWith('<')
        ? []
        : { start: own.startOffset, end: own.endOffset, count: own.count },
    ),
    blocks: ranges.filter(({ isBlock }) => isBlock),
    at: (place) => counts[indexOf(place)] ?? 0,
    most: (start, end) => {
      let most = 0
      for (let at = Math.max(0, indexOf(start)); at < starts.length && starts[at] < end; at++)
        most = Math.max(most, counts[at])
      return most
    },
  }
}
