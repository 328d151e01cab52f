/** Who joined and who left between two lists, in the order of the lists. */
export function changedMembers(before, after) {
  const [old, now] = [new Set(before), new Set(after)]
  return {
    joined: [...now].filter((member) => !old.has(member)),
    left: [...old].filter((member) => !now.has(member)),
  }
}
