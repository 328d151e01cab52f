/** Joins the parts that are not empty. */
export const joined = (separator: string, ...parts: readonly (string | false | null | undefined)[]) =>
  parts.filter(Boolean).join(separator)

export const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`
