import type { ManifestFacts } from './manifest.ts'
import { parseJson } from './npm.ts'
import { dependencyTable, scriptTable, table, text } from './values.ts'

/** composer.json without the platform (`php`, `ext-json`), which is not a package. */
export function parseComposerJson(source: string): ManifestFacts {
  const json = table(parseJson(source))
  return {
    name: text(json.name),
    version: text(json.version),
    manager: 'composer',
    scripts: scriptTable(json.scripts),
    dependencies: [...dependencyTable(json.require, 'runtime'), ...dependencyTable(json['require-dev'], 'dev')].filter(
      ({ name }) => name.includes('/'),
    ),
  }
}
