/** Text that is added to a source. */
export interface Insertion {
  at: number
  text: string
  /** The length of what the text opens, or for a closing text the negative length of what it closes. */
  reach: number
}

export function inserted(source: string, insertions: readonly Insertion[]): string {
  const sorted = insertions.toSorted((a, b) => a.at - b.at || order(a) - order(b))
  let from = 0
  let text = ''
  for (const { at, text: added } of sorted) {
    text += source.slice(from, at) + added
    from = at
  }
  return text + source.slice(from)
}

/** First what ends here, the innermost first, then what begins here, the outermost first. */
const order = ({ reach }: Insertion) => (reach < 0 ? -reach - 2 ** 40 : -reach)
