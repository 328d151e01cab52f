const kept = 64 * 1_024

/** Keeps the end of what was printed. */
export function keepEnd() {
  let text = ''
  return {
    write: (more: string) => {
      text += more
      // Not at every write: that would copy it again and again.
      if (text.length > 2 * kept) text = text.slice(-kept)
    },
    text: () => text.slice(-kept),
  }
}
