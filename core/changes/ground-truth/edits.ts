/** A small edit of a project: what a developer would do to one file. */
export type Edit =
  | { kind: 'replace'; path: string; from: string; to: string }
  | { kind: 'write'; path: string; text: string }
  | { kind: 'append'; path: string; text: string }
  | { kind: 'remove'; path: string }
  | { kind: 'move'; path: string; to: string }

/** Replaces a text that the file contains exactly once. */
export const replace = (path: string, from: string, to: string): Edit => ({ kind: 'replace', path, from, to })
export const write = (path: string, text: string): Edit => ({ kind: 'write', path, text })
export const append = (path: string, text: string): Edit => ({ kind: 'append', path, text })
export const remove = (path: string): Edit => ({ kind: 'remove', path })
export const move = (path: string, to: string): Edit => ({ kind: 'move', path, to })

/** Returns the files after the edits; the given ones stay as they are. */
export function withEdits(files: Readonly<Record<string, string>>, edits: readonly Edit[]): Record<string, string> {
  const edited = { ...files }
  for (const edit of edits) {
    if (edit.kind === 'write') {
      edited[edit.path] = edit.text
      continue
    }
    const text = edited[edit.path]
    if (text === undefined) throw new Error(`The project has no ${edit.path} to ${edit.kind}.`)
    if (edit.kind === 'append') edited[edit.path] = text + edit.text
    else if (edit.kind === 'replace') edited[edit.path] = replaced(text, edit)
    else {
      delete edited[edit.path]
      if (edit.kind === 'move') edited[edit.to] = text
    }
  }
  return edited
}

function replaced(text: string, { path, from, to }: Edit & { kind: 'replace' }): string {
  if (text.split(from).length !== 2) throw new Error(`${path} does not contain this text exactly once: ${from}`)
  return text.replace(from, () => to)
}
