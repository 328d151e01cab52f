import { catalogue } from './catalogue.ts'
import { edges } from './content.ts'

const linesRead = 5
const emacs = /-\*-(.*?)-\*-/
const vim = /(?:^|[ \t])(?:vi|vim[<=>]?\d*|Vim[<=>]?\d*|ex):[ \t]*(?:set?[ \t])?(.*)/
const vimLanguage = /(?:^|[ \t:])(?:filetype|ft|syntax)[ \t]*=[ \t]*([\w+#.-]+)/

/** The language that an Emacs or Vim modeline in the first or last five lines names. */
export function modelineLanguages(content: Buffer): number[] {
  const [head, tail] = edges(content)
  for (const [part, last] of [
    [head, false],
    [tail, true],
  ] as const) {
    if (!part.includes('-*-') && !part.includes(':')) continue
    if (!/-\*-|\b(?:vi|[vV]im|ex)[<=>\d]*:/.test(part)) continue
    const lines = part.split(/\r?\n/)
    for (const line of last ? lines.slice(-linesRead - 1) : lines.slice(0, linesRead)) {
      const languages = catalogue().aliases.get(editorMode(line.slice(0, 500)))
      if (languages) return languages
    }
  }
  return []
}

/** Lower case; empty where the line sets no mode. */
function editorMode(line: string): string {
  const variables = emacs.exec(line)?.[1]
  if (variables !== undefined) {
    if (!variables.includes(':')) return variables.trim().toLowerCase()
    for (const variable of variables.split(';')) {
      const [name = '', value = ''] = variable.split(':')
      if (name.trim().toLowerCase() === 'mode') return value.trim().toLowerCase()
    }
    return ''
  }
  const settings = vim.exec(line)?.[1]
  return settings === undefined ? '' : (vimLanguage.exec(settings)?.[1] ?? '').toLowerCase()
}
