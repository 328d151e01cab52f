import { shortLines } from './values.ts'

/** Sections of an ini file as Python reads it: values go on in indented lines. */
export function parseIni(source: string): Map<string, Map<string, string>> {
  const sections = new Map<string, Map<string, string>>()
  let section = new Map<string, string>()
  let key = ''
  for (const line of shortLines(source)) {
    const header = /^\[([^\]]+)\]/.exec(line)?.[1]
    if (header !== undefined) {
      section = sections.get(header.trim()) ?? new Map()
      sections.set(header.trim(), section)
      key = ''
    } else if (/^\s*[#;]/.test(line)) {
      continue
    } else if (/^\s+\S/.test(line) && key) {
      section.set(key, `${section.get(key) ?? ''}\n${line.trim()}`)
    } else {
      const at = line.search(/[=:]/)
      key = at > 0 ? line.slice(0, at).trim() : ''
      if (key) section.set(key, line.slice(at + 1).trim())
    }
  }
  return sections
}
