import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { createProgram } from './program.ts'
import { readSkill } from './skill.ts'
import { assay } from './testing/assay.ts'

test('the skill fits on a page and names only existing commands and options', async () => {
  const text = await readSkill()
  const [, front = '', body = ''] = /^---\n(.*?)\n---\n(.*)$/s.exec(text) ?? []
  const { name, description } = parse(front) as { name: string; description: string }
  expect(name).toBe('assay')
  expect(description.length).toBeLessThanOrEqual(500)
  expect(body.split('\n').length).toBeLessThanOrEqual(80)

  const program = createProgram()
  const used = [...body.matchAll(/`(?:assay )?([a-z]+)((?: [^`]*)?)`/g)].flatMap(([, word = '', rest = '']) => {
    const command = program.commands.find((one) => one.name() === word)
    const options = [...rest.matchAll(/--[a-z-]+/g)].map(([option]) => option)
    return command ? [{ command, options }] : []
  })
  expect(used.length).toBeGreaterThan(15)
  for (const { command, options } of used) {
    const known = [...command.options, ...program.options].map(({ long }) => long)
    expect([command.name(), known]).toEqual([command.name(), expect.arrayContaining(options)])
  }
  for (const [, word = ''] of body.matchAll(/`assay ([a-z]+)/g)) {
    expect(program.commands.map((command) => command.name())).toContain(word)
  }
})

test('installs the skill where agents look for it, and never overwrites a changed file without --force', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'assay-cli-skill-'))
  try {
    const path = join(folder, '.claude/skills/assay/SKILL.md')
    const install = (...words: string[]) => assay(['skill', '--install', ...words], { cwd: folder })
    expect(await install()).toEqual({ exitCode: 0, stdout: `Installed ${path}\n`, stderr: '' })
    expect(await readFile(path, 'utf8')).toBe(await readSkill())
    expect(await install()).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('up to date') })
    await writeFile(path, 'our own words')
    expect(await install()).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--force') })
    expect(await readFile(path, 'utf8')).toBe('our own words')
    expect(await install('--force')).toMatchObject({ exitCode: 0 })
    expect(await assay(['skill'])).toMatchObject({ exitCode: 0, stdout: await readSkill() })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

test('does not install through a symbolic link', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'assay-cli-skill-'))
  try {
    const [cwd, outside] = [join(folder, 'checkout'), join(folder, 'outside')]
    await Promise.all([mkdir(join(cwd, 'mine'), { recursive: true }), mkdir(outside)])
    await writeFile(join(outside, 'kept'), 'kept')
    await symlink(outside, join(cwd, '.claude'))
    await symlink(join(outside, 'kept'), join(cwd, 'mine/SKILL.md'))
    const install = (...words: string[]) => assay(['skill', '--install', ...words, '--force'], { cwd })
    expect(await install()).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('symbolic link') })
    expect(await install('mine')).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('not a regular file') })
    expect([await readdir(outside), await readFile(join(outside, 'kept'), 'utf8')]).toEqual([['kept'], 'kept'])
    expect(await install(join(cwd, '.claude'))).toMatchObject({ exitCode: 2 })
    expect(await install(outside)).toMatchObject({ exitCode: 0 })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
