import type { ManifestFacts } from './manifest.ts'
import { UnreadableManifest } from './manifest.ts'
import { dependencyTable, entries, scriptTable, table, text, texts } from './values.ts'
import { readYaml } from './yaml.ts'

/** Keys of package.json under which tools look for their settings. */
const settingKeys = ['ava', 'c8', 'cypress', 'jest', 'mocha', 'nyc', 'tap', 'vitest', 'wtr', 'xo']

export function parsePackageJson(source: string): ManifestFacts {
  const json = table(parseJson(source))
  const manager = /^(npm|pnpm|yarn|bun|deno)(?:@|$)/.exec(text(json.packageManager) ?? '')?.[1]
  return {
    name: text(json.name),
    version: text(json.version),
    manager,
    scripts: scriptTable(json.scripts),
    dependencies: [
      ...dependencyTable(json.dependencies, 'runtime'),
      ...dependencyTable(json.optionalDependencies, 'runtime'),
      ...dependencyTable(json.peerDependencies, 'peer'),
      ...dependencyTable(json.devDependencies, 'dev'),
    ],
    workspaces: [...texts(json.workspaces), ...texts(table(json.workspaces).packages)],
    settings: settingKeys.filter((key) => Object.hasOwn(json, key)),
  }
}

/** Imports of deno.json name packages as `npm:express@4` or `jsr:@hono/hono@^4`. */
export function parseDenoJson(source: string): ManifestFacts {
  const json = table(parseJson(withoutComments(source)))
  const dependencies = entries(json.imports).flatMap(([, target]) => {
    const match = /^(?:npm|jsr):\/?(@?[^@]+)(?:@([^/]+))?/.exec(text(target) ?? '')
    return match?.[1] ? [{ name: match[1], version: match[2] ?? '', kind: 'runtime' as const }] : []
  })
  const tasks = entries(json.tasks).map(([name, task]) => [name, table(task).command ?? task])
  return {
    name: text(json.name),
    version: text(json.version),
    manager: 'deno',
    scripts: scriptTable(Object.fromEntries(tasks)),
    dependencies,
    workspaces: [...texts(json.workspace), ...texts(table(json.workspace).members)],
    settings: Object.hasOwn(json, 'test') ? ['test'] : [],
  }
}

/** Ranges of pnpm-workspace.yaml that packages refer to as `catalog:`. */
export function parseCatalogs(source: string): Map<string, string> {
  // The parser takes a second for a megabyte of nonsense.
  if (source.length > 65_536) throw new UnreadableManifest('is larger than 65536 characters')
  let yaml: unknown
  try {
    yaml = readYaml(source)
  } catch (error) {
    throw error instanceof RangeError ? error : new UnreadableManifest('is not valid YAML')
  }
  const ranges = dependencyTable(table(yaml).catalog, 'runtime')
  return new Map(ranges.map(({ name, version }) => [name, version]))
}

export function parseJson(source: string): unknown {
  try {
    return JSON.parse(source)
  } catch {
    throw new UnreadableManifest('is not valid JSON')
  }
}

/** JSON with comments and trailing commas, as deno.jsonc has it; what strings hold stays as it is. */
function withoutComments(source: string): string {
  const token = /"(?:[^"\\]|\\[^])*"?|\/\/[^\n]*|\/\*[^]*?(?:\*\/|$)|,(?=\s*[\]}])/g
  return source.replace(token, (match) => (match.startsWith('"') ? match : ' '))
}
