export function findDurationSteps(
  _points: readonly { at: number; ms: number }[],
): { at: number; before: number; after: number; ratio: number }[] {
  return []
}
