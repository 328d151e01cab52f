import { randomUUID } from 'node:crypto'
import { closeSync, openSync, readdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { StdioOptions } from 'node:child_process'

const closeOnExec = 0o2000000

/**
 * Runs `start` with the descriptors for a child: the given ones, and nothing in the place of those that this process
 * inherited itself and would hand on, since Node closes only its own.
 */
export function withDescriptors<T>(
  given: readonly ('ignore' | 'pipe' | number)[],
  start: (stdio: StdioOptions) => T,
): T {
  const leaking = inheritable().filter((descriptor) => descriptor >= given.length)
  if (leaking.length === 0) return start([...given])
  const nothing = openNothing()
  try {
    const stdio = Array.from({ length: Math.max(...leaking) + 1 }, (_, index) => {
      return given[index] ?? (leaking.includes(index) ? nothing : 'ignore')
    })
    return start(stdio)
  } finally {
    closeSync(nothing)
  }
}

/** A file that is nowhere. A child could change the permissions of /dev/null by a descriptor of it. */
function openNothing(): number {
  const path = join(tmpdir(), `assay-nothing-${randomUUID()}`)
  writeFileSync(path, '', { flag: 'wx', mode: 0o400 })
  try {
    return openSync(path, 'r')
  } finally {
    unlinkSync(path)
  }
}

function inheritable(): number[] {
  if (process.platform !== 'linux') return []
  return readdirSync('/proc/self/fdinfo').flatMap((name) => {
    try {
      const flags = /^flags:\s+(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${name}`, 'utf8'))?.[1]
      return flags !== undefined && (Number.parseInt(flags, 8) & closeOnExec) === 0 ? [Number(name)] : []
    } catch {
      // The descriptor by which the folder itself was read.
      return []
    }
  })
}
