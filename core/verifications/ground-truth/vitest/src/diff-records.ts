type Flat = Record<string, string | number>

/** What changed between two records, as `+ name`, `- name` and `~ name`, sorted by name. */
export function diffRecords(before: Flat, after: Flat): string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].toSorted()
  return names.flatMap((name) => {
    if (!(name in before)) return [`+ ${name}`]
    if (!(name in after)) return [`- ${name}`]
    return before[name] === after[name] ? [] : [`~ ${name}`]
  })
}
