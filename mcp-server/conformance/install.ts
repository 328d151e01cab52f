import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'

const cache = resolve(import.meta.dirname, '../../node_modules/.cache/assay/tools')

/**
 * Installs a package in exactly this version once, and returns its program. Not a dependency of the project, because each
 * is large and one is needed in two versions.
 */
export async function installed(name: string, version: string, program: string): Promise<string> {
  const folder = join(cache, `${program}-${version}`)
  const path = join(folder, 'node_modules/.bin', program)
  if (existsSync(path)) return path
  await mkdir(folder, { recursive: true })
  const options = ['--no-audit', '--no-fund', '--no-save', '--ignore-scripts', '--loglevel=error']
  await promisify(execFile)('npm', ['install', '--prefix', folder, ...options, `${name}@${version}`])
  return path
}
