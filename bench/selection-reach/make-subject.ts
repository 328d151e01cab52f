import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Checkout } from '../selection/checkout.ts'
import type { ReachRepository } from './repositories.ts'

export interface Subject {
  checkout: Checkout
  /** The commit at which strength is measured, the head of the branch `main`. */
  measured: string
  /** The commit into which mutants are planted. */
  top: string
}

const lockfiles = ['package-lock.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml', 'yarn.lock', 'uv.lock']

/**
 * Clones a checkout with its installed packages. The manifest of the subject asks for exactly these, because the product
 * installs them again.
 *
 * @param behind - how many commits the measured one is older than the tip
 */
export function makeSubject(
  repository: ReachRepository,
  { from, to, tip, behind }: { from: string; to: string; tip: string; behind: number },
): Subject {
  const checkout = new Checkout(to)
  const heads = ['refs/heads/main', 'refs/bench/top']
  if (!existsSync(to)) {
    execFileSync('git', ['clone', '--quiet', '--no-checkout', from, to])
    const packages = join(from, 'node_modules')
    if (existsSync(packages)) cpSync(packages, join(to, 'node_modules'), { recursive: true, verbatimSymlinks: true })
    const newest = new Checkout(from).git(['rev-parse', tip]).trim()
    const older = checkout.git(['rev-list', '--first-parent', '-n', '1', `--skip=${behind}`, newest]).trim()
    const measured = adapted(repository, checkout, { commit: older, parent: older })
    const top = behind === 0 ? measured : adapted(repository, checkout, { commit: newest, parent: measured })
    for (const [index, head] of heads.entries()) checkout.git(['update-ref', head, index === 0 ? measured : top])
    checkout.git(['checkout', '--quiet', '--force', '-B', 'main', measured])
  }
  const [measured = '', top = ''] = heads.map((head) => checkout.git(['rev-parse', head]).trim())
  return { checkout, measured, top }
}

function adapted(
  { command, files = {}, edits = [] }: ReachRepository,
  checkout: Checkout,
  { commit, parent }: { commit: string; parent: string },
): string {
  const nothing = checkout.git(['mktree'], { input: '' }).trim()
  const replaced = new Map<string, { text: string } | { from: string }>(
    Object.entries(files).map(([path, text]) => [path, { text }]),
  )
  const known = new Set(checkout.paths(commit))
  for (const path of lockfiles) if (known.has(path)) replaced.set(path, { from: nothing })
  for (const { path, from, to } of edits) {
    const text = checkout.read(commit, path)
    if (!text?.includes(from)) throw new Error(`${path} has no ${from}`)
    replaced.set(path, { text: text.replace(from, to) })
  }
  // Both commits have the manifest of the older one: a change of it would select all tests.
  const manifest = checkout.read(parent, 'package.json')
  if (command !== undefined && manifest !== null && commit === parent) {
    replaced.set('package.json', { text: withInstalled(manifest, command, checkout.path) })
  }
  const tree = checkout.commitWith(commit, replaced)
  if (commit === parent) return tree
  const path = 'package.json'
  const own = known.has(path) ? new Map([[path, { text: manifest ?? '' }]]) : new Map()
  const withManifest = checkout.commitWith(tree, own)
  return checkout.git(['commit-tree', `${withManifest}^{tree}`, '-p', parent, '-m', 'Later changes']).trim()
}

/** The packages of the manifest that are installed, in their versions. */
function withInstalled(manifest: string, command: string, directory: string): string {
  const { packageManager: _, ...rest } = JSON.parse(manifest)
  const installed = (wanted: Record<string, string> = {}) =>
    Object.fromEntries(
      Object.keys(wanted).flatMap((name) => {
        const file = join(directory, 'node_modules', name, 'package.json')
        return existsSync(file) ? [[name, String(JSON.parse(readFileSync(file, 'utf8')).version)]] : []
      }),
    )
  const { dependencies, devDependencies } = rest
  return JSON.stringify(
    {
      ...rest,
      scripts: { test: command },
      dependencies: installed(dependencies),
      devDependencies: installed(devDependencies),
    },
    null,
    2,
  )
}
