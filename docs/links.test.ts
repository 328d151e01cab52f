import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '..')
const pages = execFileSync('git', ['-c', 'safe.directory=*', 'ls-files', '-z', '*.md'], { cwd: root, encoding: 'utf8' })
  .split('\0')
  .filter((path) => path !== '' && existsSync(join(root, path)))

const prose = (path: string) => readFileSync(path, 'utf8').replaceAll(/^ *```.*?^ *```$/gms, '')

/** Returns the anchors that GitHub gives the headings of a page. */
function anchorsOf(path: string): string[] {
  const used = new Map<string, number>()
  return [...prose(path).matchAll(/^#+ +(.+)$/gm)].map(([, heading = '']) => {
    const slug = heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{M}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-')
    const count = used.get(slug) ?? 0
    used.set(slug, count + 1)
    return count === 0 ? slug : `${slug}-${count}`
  })
}

function brokenLinks(page: string): string[] {
  const targets = [...prose(join(root, page)).matchAll(/\]\(([^()\s]+)\)/g)].map(([, target = '']) => target)
  return targets.filter((target) => {
    if (/^[a-z]+:/.test(target)) return false
    const [path = '', anchor] = target.split('#')
    const file = path === '' ? join(root, page) : resolve(root, dirname(page), path)
    if (relative(root, file).startsWith('..') || !existsSync(file)) return true
    return anchor !== undefined && !anchorsOf(file).includes(anchor)
  })
}

test.each(pages)('the links in %s lead to files and headings that exist', (page) => {
  expect(brokenLinks(page)).toEqual([])
})
