/** Below 0 where `a` is older, above 0 where it is newer. A release is newer than what leads to it (`-rc.1`). */
export function compareVersions(a: string, b: string): number {
  const [first, second] = [parse(a), parse(b)]
  for (const [index, part] of first.numbers.entries()) {
    const difference = part - (second.numbers[index] ?? 0)
    if (difference !== 0) return Math.sign(difference)
  }
  if (first.label === second.label) return 0
  if (first.label === '') return 1
  if (second.label === '') return -1
  return first.label < second.label ? -1 : 1
}

function parse(version: string): { numbers: number[]; label: string } {
  const [, major, minor, patch, label = ''] = /^v?(\d+)\.(\d+)\.(\d+)(?:-(.+))?$/.exec(version) ?? []
  if (major === undefined) throw new TypeError(`not a version: ${version}`)
  return { numbers: [major, minor, patch].map(Number), label }
}
