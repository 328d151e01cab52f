import type { FailureGroup } from './schema.ts'

const maxGroups = 20

/**
 * Returns as many groups and tests as fit: first one test of each group, in their order, then a second one of each, and
 * so on.
 *
 * @param room - characters of JSON
 */
export function fitGroups(groups: readonly FailureGroup[], room: number): FailureGroup[] {
  const fitted: FailureGroup[] = []
  let left = room
  for (const group of groups.slice(0, maxGroups)) {
    const smallest = { ...group, examples: group.examples.slice(0, 1) }
    left -= length(smallest)
    // The first group is always included.
    if (left < 0 && fitted.length > 0) break
    fitted.push(smallest)
  }
  for (let place = 1; left > 0 && groups.some(({ examples }) => examples.length > place); place++) {
    for (const [index, group] of fitted.entries()) {
      const example = groups[index]?.examples[place]
      if (!example || group.examples.length < place) continue
      if (left < length(example)) continue
      left -= length(example)
      group.examples.push(example)
    }
  }
  for (const group of fitted) group.leftOut = group.tests - group.examples.length
  return fitted
}

const length = (value: unknown) => JSON.stringify(value).length
