import { glob, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, type Plugin } from 'esbuild'
import { builtFolder, isCurrent, recordName } from '../local/built.mjs'
import { forNode, oneLanguage, root } from './bundle.ts'

/** The programs of a checkout, and the modules that its processes load by path. */
const programs = [
  'local/main.ts',
  'core/main.ts',
  'ai-service/main.ts',
  'mcp-server/main.ts',
  'cli/main.ts',
  'client/working-tree-process.ts',
  'engines/{analysis,processes}/process.ts',
  'engines/parsing/worker.ts',
  '{core,engines}/**/*-task.ts',
]

/** Modules look for files and programs where their sources are. */
const placesOfSources: Plugin = {
  name: 'places-of-sources',
  setup: (build) => {
    build.onLoad({ filter: /\.m?ts$|\.mjs$/ }, async ({ path }) => {
      if (path.includes('/node_modules/')) return undefined
      const places = { dirname: dirname(path), filename: path, url: pathToFileURL(path).href }
      const contents = (await readFile(path, 'utf8')).replaceAll(
        /\bimport\.meta\.(dirname|filename|url)\b/g,
        (_, place: keyof typeof places) => JSON.stringify(places[place]),
      )
      return { contents, loader: 'ts' }
    })
  },
}

/**
 * Bundles the programs of a checkout. A server loads 2,000 modules from their sources, which takes four times as long and
 * nearly twice the memory. The starters use a bundle until a source changes.
 *
 * @returns false if nothing had to be built
 */
export async function buildPrograms(): Promise<boolean> {
  if (isCurrent()) return false
  const next = `${builtFolder}-${process.pid}`
  await mkdir(next, { recursive: true })
  try {
    const entryPoints: string[] = []
    for await (const path of glob(programs, { cwd: root })) if (!path.includes('/testing/')) entryPoints.push(path)
    const { metafile } = await build({
      ...forNode,
      entryPoints,
      outdir: next,
      // Only builds need it.
      external: [...forNode.external, 'vite'],
      outbase: root,
      target: 'node24',
      minifySyntax: true,
      minifyWhitespace: true,
      define: { ASSAY_BUILT: JSON.stringify({ root, folder: builtFolder }) },
      plugins: [oneLanguage, placesOfSources],
    })
    // Without it, Node compiles each file as CommonJS first.
    await writeFile(join(next, 'package.json'), JSON.stringify({ type: 'module' }))
    // The packages are as the lock file says.
    const sources = Object.keys(metafile.inputs).filter((path) => !/^(?:node_modules\/|<)/.test(path))
    const states = [...sources, 'package-lock.json', 'packaging/build-programs.ts', 'packaging/bundle.ts'].map(
      async (path) => {
        const { size, mtimeMs } = await stat(join(root, path))
        return [path, [size, mtimeMs]] as const
      },
    )
    await writeFile(join(next, recordName), JSON.stringify(Object.fromEntries(await Promise.all(states))))
    await rm(builtFolder, { recursive: true, force: true })
    await rename(next, builtFolder)
  } finally {
    await rm(next, { recursive: true, force: true })
  }
  return true
}
