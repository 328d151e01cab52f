import { glob, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, type Plugin } from 'esbuild'
import { buildsFolder, currentBuild, recordName, usersName } from '../local/built.mjs'
import { isErrno } from '../engines/source/files.ts'
import { forNode, leaner, root } from './bundle.ts'

/**
 * The programs of a checkout, and the modules that its processes load by path. A bundle shares code only with those of
 * its group: each file that a program shares takes part of its start.
 */
const groups = [
  ['local/main.ts'],
  ['core/main.ts'],
  ['ai-service/main.ts'],
  ['mcp-server/main.ts'],
  ['cli/main.ts'],
  ['client/working-tree-process.ts'],
  ['engines/analysis/process.ts'],
  ['engines/parsing/worker.ts'],
  ['engines/processes/process.ts', '{core,engines}/**/*-task.ts'],
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

/** The latest builds are kept, and those that a process runs from. */
const keptBuilds = 3

/**
 * Bundles the programs of a checkout. A server loads 2,000 modules from their sources, which takes several times as long.
 * The starters use a bundle until a source changes.
 *
 * @returns false if nothing had to be built
 */
export async function buildPrograms(folder = buildsFolder): Promise<boolean> {
  if (currentBuild(folder) !== undefined) return false
  const name = `${Date.now().toString(36)}-${process.pid}`
  const outdir = join(folder, name)
  await mkdir(outdir, { recursive: true })
  try {
    const inputs = (await Promise.all(groups.map((programs) => bundlePrograms(programs, outdir)))).flat()
    // Without it, Node compiles each file as CommonJS first.
    await writeFile(join(outdir, 'package.json'), JSON.stringify({ type: 'module' }))
    await writeRecord(folder, { build: name, sources: await statesOf([...new Set(inputs)]) })
  } catch (error) {
    await rm(outdir, { recursive: true, force: true })
    throw error
  }
  await removeOldBuilds(folder)
  return true
}

/** @returns the modules that the bundles contain */
async function bundlePrograms(programs: string[], outdir: string): Promise<string[]> {
  const entryPoints: string[] = []
  for await (const path of glob(programs, { cwd: root })) if (!path.includes('/testing/')) entryPoints.push(path)
  const { metafile } = await build({
    ...forNode,
    entryPoints,
    outdir,
    outbase: root,
    target: 'node24',
    // Only builds need it.
    external: [...forNode.external, 'vite'],
    minifySyntax: true,
    minifyWhitespace: true,
    define: { ASSAY_BUILT: JSON.stringify({ root, folder: outdir }) },
    plugins: [...leaner, placesOfSources],
  })
  return Object.keys(metafile.inputs)
}

/** The packages are as the lock file says. */
async function statesOf(inputs: string[]): Promise<Record<string, [size: number, mtimeMs: number]>> {
  const sources = inputs.filter((path) => !/^(?:node_modules\/|<|builtin:)/.test(path))
  const states = [...sources, 'package-lock.json', 'packaging/build-programs.ts', 'packaging/bundle.ts'].map(
    async (path) => {
      const { size, mtimeMs } = await stat(join(root, path))
      return [path, [size, mtimeMs] as [number, number]] as const
    },
  )
  return Object.fromEntries(await Promise.all(states))
}

async function writeRecord(folder: string, record: object): Promise<void> {
  const draft = join(folder, `${recordName}.${process.pid}`)
  await writeFile(draft, JSON.stringify(record))
  await rename(draft, join(folder, recordName))
}

async function removeOldBuilds(folder: string): Promise<void> {
  const names = await readdir(folder, { withFileTypes: true })
  // Their names begin with the time.
  const builds = names.filter((entry) => entry.isDirectory()).map(({ name }) => name)
  for (const name of builds.toSorted().slice(0, -keptBuilds)) {
    if (!(await isUsed(join(folder, name)))) await rm(join(folder, name), { recursive: true, force: true })
  }
}

/** Programs note themselves when they start; those that were killed are found out by their process ids. */
async function isUsed(build: string): Promise<boolean> {
  const users = await readdir(join(build, usersName)).catch(() => [])
  return users.some((pid) => {
    try {
      return process.kill(Number(pid), 0)
    } catch (error) {
      // Only another user's process may not be asked.
      return isErrno(error, 'EPERM')
    }
  })
}
