/** Where a value is in a sorted list, or -1. */
export function binarySearch(values, wanted) {
  let low = 0
  let high = values.length - 1
  while (low <= high) {
    const middle = Math.floor((low + high) / 2)
    if (values[middle] === wanted) return middle
    if (values[middle] < wanted) low = middle + 1
    else high = middle - 1
  }
  return -1
}
