import type { Snapshot } from '../../source/types.ts'
import { baseName } from '../graph/paths.ts'
import type { SourceTree } from '../graph/source-tree.ts'
import type { Suspect } from './suspect.ts'

/** Pages, templates, scripts and settings, which may load modules in ways that no parser here reads. */
const loaders =
  /\.(?:x?html?|ejs|hbs|handlebars|mustache|njk|nunjucks|pug|jade|liquid|erb|haml|slim|php|phtml|twig|cshtml|razor|jsp|ftl|tmpl|tpl|eta|sh|bash|zsh|bat|cmd|ps1|ya?ml|toml)$|(?:^|\/)(?:package\.json|(?:GNU)?[Mm]akefile|[Jj]ustfile|Dockerfile)$/
const lockFile = /[-.]lock\.ya?ml$/
const maxFiles = 500
const maxBytes = 20_000_000

/**
 * Leaves out the dead exports of files whose name, with a folder or ending, occurs in a page, template, script or manifest.
 * Leaves out all of them where there are too many such files to read.
 */
export async function withoutMentioned(
  suspects: readonly Suspect[],
  tree: SourceTree,
  snapshot: Snapshot,
  signal: AbortSignal,
): Promise<Suspect[]> {
  if (suspects.length === 0) return []
  const entries = snapshot.entries.filter(({ path }) => loaders.test(path) && !lockFile.test(path))
  const bytes = entries.reduce((sum, { size }) => sum + (size ?? 0), 0)
  if (entries.length > maxFiles || bytes > maxBytes) return []
  const stems = new Map<string, Set<number>>()
  for (const { file } of suspects) {
    const stem = baseName(tree.pathOf(file)).replace(/\..*$/s, '')
    stems.set(stem, (stems.get(stem) ?? new Set()).add(file))
  }
  const mentioned = new Set<number>()
  for await (const { content } of snapshot.read(entries, signal, { again: true })) {
    // A module is named behind a folder: `./boot`, `src/boot.js`.
    for (const [, stem = ''] of content?.toString().matchAll(/\/([\w$-]+)/g) ?? []) {
      for (const file of stems.get(stem) ?? []) mentioned.add(file)
    }
  }
  return suspects.filter(({ file }) => !mentioned.has(file))
}
