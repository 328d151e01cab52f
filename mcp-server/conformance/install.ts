import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'

const cache = resolve(import.meta.dirname, '../../node_modules/.cache/assay/tools')

/**
 * The program of a package in exactly this version, fetched once. Beside the dependencies, since each is as large as
 * all that we have to speak the protocol, and two versions of one are wanted.
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
