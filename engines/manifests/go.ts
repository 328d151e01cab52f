import type { Dependency, ManifestFacts } from './manifest.ts'
import { UnreadableManifest } from './manifest.ts'
import { shortLines, text } from './values.ts'

/** go.mod without what is marked `// indirect`, which others asked for. */
export function parseGoMod(source: string): ManifestFacts {
  let name: string | undefined
  const dependencies: Dependency[] = []
  const settings: string[] = []
  for (const [directive, line] of directives(source)) {
    const [path = '', version = ''] = line.split(/\s+/)
    if (directive === 'module') name = text(unquoted(path))
    else if (directive === 'require' && !line.includes('// indirect') && path) {
      dependencies.push({ name: unquoted(path), version, kind: 'runtime' })
    } else if (directive === 'tool') settings.push(unquoted(path))
  }
  if (!name) throw new UnreadableManifest('names no module')
  return { name, manager: 'go', dependencies, settings }
}

export function parseGoWork(source: string): ManifestFacts {
  return {
    manager: 'go',
    workspaces: [...directives(source)].filter(([directive]) => directive === 'use').map(([, path]) => unquoted(path)),
  }
}

/** A directive comes before its argument, or before several in parentheses. */
function* directives(source: string): Generator<[directive: string, line: string]> {
  let block = ''
  for (const raw of shortLines(source)) {
    const line = raw.trim()
    if (line === '' || line.startsWith('//')) continue
    if (block) {
      if (line.startsWith(')')) block = ''
      else yield [block, line]
      continue
    }
    const [directive = ''] = line.split(/[\s(]/, 1)
    const rest = line.slice(directive.length).trim()
    if (rest.startsWith('(')) block = directive
    else yield [directive, rest]
  }
}

function unquoted(path: string): string {
  return path.replace(/^["`]|["`]$/g, '')
}
