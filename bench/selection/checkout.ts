import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

const identity = { NAME: 'Ada', EMAIL: 'ada@example.com', DATE: '2026-01-01T00:00:00Z' }

/** A clone of a repository, in which further commits are made. */
export class Checkout {
  readonly path: string

  constructor(path: string) {
    this.path = path
  }

  git(args: readonly string[], options: { input?: string; index?: string } = {}): string {
    const entries = Object.entries(identity)
    const env = {
      ...process.env,
      ...Object.fromEntries(
        entries.flatMap(([key, value]) => [
          [`GIT_AUTHOR_${key}`, value],
          [`GIT_COMMITTER_${key}`, value],
        ]),
      ),
      ...(options.index !== undefined && { GIT_INDEX_FILE: join(this.path, '.git', options.index) }),
    }
    return execFileSync('git', ['-C', this.path, ...args], {
      encoding: 'utf8',
      maxBuffer: 2 ** 28,
      env,
      stdio: ['pipe', 'pipe', 'ignore'],
      ...(options.input !== undefined && { input: options.input }),
    })
  }

  /** The contents of blobs; null for those that the clone lacks. */
  contents(ids: readonly string[]): (Buffer | null)[] {
    if (ids.length === 0) return []
    const printed = execFileSync('git', ['-C', this.path, 'cat-file', '--batch'], {
      input: ids.map((id) => `${id}\n`).join(''),
      maxBuffer: 2 ** 30,
    })
    let at = 0
    return ids.map(() => {
      const end = printed.indexOf('\n', at)
      const [, type = '', size = '0'] = printed.subarray(at, end).toString().split(' ')
      at = end + 1
      if (type !== 'blob') return null
      const content = printed.subarray(at, at + Number(size))
      at += Number(size) + 1
      return content
    })
  }

  /** Null if the commit has no such file. */
  read(commit: string, path: string): string | null {
    try {
      return this.git(['show', `${commit}:${path}`])
    } catch {
      return null
    }
  }

  paths(commit: string): string[] {
    return this.git(['ls-tree', '-r', '-z', '--name-only', commit]).split('\0').filter(Boolean)
  }

  /**
   * Makes a commit of the files of another one with some files replaced: by a text, by the file that a third commit has in
   * its place, or by nothing.
   */
  commitWith(parent: string, replaced: ReadonlyMap<string, { text: string } | { from: string }>): string {
    const index = `selection-index-${process.pid}`
    this.git(['read-tree', parent], { index })
    for (const [path, content] of replaced) {
      const [mode = '', , blob = ''] = this.git([
        'ls-tree',
        'from' in content ? content.from : parent,
        '--',
        path,
      ]).split(/\s/)
      const id = 'text' in content ? this.git(['hash-object', '-w', '--stdin'], { input: content.text }).trim() : blob
      if (id === '') this.git(['update-index', '--force-remove', '--', path], { index })
      else this.git(['update-index', '--add', '--cacheinfo', `${mode || '100644'},${id},${path}`], { index })
    }
    const tree = this.git(['write-tree'], { index }).trim()
    return this.git(['commit-tree', tree, '-p', parent, '-m', 'Change']).trim()
  }

  /** Writes the files of the commit, and keeps what was installed. */
  checkOut(commit: string): void {
    this.git(['checkout', '--quiet', '--force', '--detach', commit])
    this.git(['clean', '-ffdxq', '-e', 'node_modules'])
  }
}
