/** Fills `{{name}}` in; a name without a value stays as it is. */
export function render(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(/\{\{(\w+)\}\}/g, (all, name: string) => values[name] || all)
}

/** Breaks a text into lines of at most the width, at spaces. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line)
      line = word
    } else {
      line = line === '' ? word : `${line} ${word}`
    }
  }
  if (line !== '') lines.push(line)
  return lines
}

/** A letter as plain text. */
export function letter(name: string, body: string): string {
  return [`Dear ${name},`, '', ...wrap(body, 20), '', 'Yours, the shop'].join('\n')
}
