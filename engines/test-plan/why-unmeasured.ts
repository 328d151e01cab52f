/** The lines with which the tools of Assay say why they measured nothing. */
const printed = /^(?:# )?No coverage: (.{1,250})$/m
const planned = /^No coverage, because (.+)$/

/** Returns the reason for missing coverage that the output of a run or the notes of its plan name; null if none does. */
export const whyUnmeasured = (output: string, notes: readonly string[]): string | null =>
  printed.exec(output)?.[1]?.trim() ?? plannedReason(notes)

/** Returns the reason for missing coverage that the notes of a plan name. */
export const plannedReason = (notes: readonly string[]): string | null =>
  notes.flatMap((note) => planned.exec(note)?.[1] ?? [])[0] ?? null
