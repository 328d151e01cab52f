import type { Dependency, ManifestFacts } from './manifest.ts'
import { shortLines, text } from './values.ts'

/** mix.exs is a program; only what is written out in it is read. */
export function parseMixExs(source: string): ManifestFacts {
  const dependencies: Dependency[] = []
  for (const line of shortLines(source)) {
    if (/^\s*#/.test(line)) continue
    for (const match of line.matchAll(/\{\s*:(\w+)\s*,\s*(?:"([^"]*)")?([^}]*)/g)) {
      const [, name = '', version = '', options = ''] = match
      const only = /\bonly:\s*(\[[^\]]*\]?|:\w+)/.exec(options)?.[1] ?? ''
      const kind = /:test\b/.test(only) && !/:dev\b/.test(only) ? 'test' : only ? 'dev' : 'runtime'
      if (version !== '' || /\b(?:path|git|github|in_umbrella):/.test(options))
        dependencies.push({ name, version, kind })
    }
  }
  return {
    name: text(/\bapp:\s*:(\w+)/.exec(source)?.[1]),
    version: text(/\bversion:\s*"([^"\n]{1,50})"/.exec(source)?.[1] ?? /@version\s+"([^"\n]{1,50})"/.exec(source)?.[1]),
    manager: 'mix',
    dependencies,
  }
}
