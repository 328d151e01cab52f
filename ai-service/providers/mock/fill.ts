/**
 * Replaces `{slot}` by its value. A slot alone on its line takes the whole value at its indentation, and an empty value
 * removes the line with the empty line before it. Values are not read again, so they may contain braces.
 */
export function fill(template: string, slots: Readonly<Record<string, string | undefined>>): string {
  const lines: string[] = []
  for (const line of template.split('\n')) {
    const block = /^(\s*)\{(\w+)\}$/.exec(line)
    const value = block?.[2] === undefined ? undefined : slots[block[2]]
    if (block && value !== undefined) {
      if (value !== '') lines.push(...value.split('\n').map((text) => (text === '' ? '' : `${block[1]}${text}`)))
      else if (lines.at(-1) === '') lines.pop()
    } else lines.push(line.replace(/\{(\w+)\}/g, (slot, name: string) => slots[name] ?? slot))
  }
  return lines.join('\n')
}
