import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findToolchains } from './toolchains.ts'

async function createHome() {
  const home = await mkdtemp(join(tmpdir(), 'assay-home-'))
  const make = async (...folders: string[]) => {
    for (const folder of folders) await mkdir(join(home, folder), { recursive: true })
  }
  return { home, make, [Symbol.asyncDispose]: () => rm(home, { recursive: true }) }
}

test('shows the version managers that PATH leads to, without what they keep besides programs', async () => {
  await using created = await createHome()
  const { home } = created
  await created.make(
    '.cargo/bin',
    '.rustup',
    '.pyenv/shims',
    '.nvm/versions/node/v1/bin',
    '.secrets/bin',
    '.ssh',
    '.rbenv',
  )
  await writeFile(join(home, '.cargo/credentials.toml'), 'token')
  const path = ['.cargo/bin', '.pyenv/shims', '.nvm/versions/node/v1/bin', '.secrets/bin'].map((part) =>
    join(home, part),
  )
  const found = await findToolchains({ HOME: home, PATH: [...path, '/usr/bin', 'relative'].join(':') }, [])
  expect(found.folders).toEqual(
    expect.arrayContaining(['.cargo/bin', '.rustup', '.pyenv', '.nvm/versions'].map((part) => join(home, part))),
  )
  for (const part of ['', '.cargo', '.ssh', '.secrets', '.secrets/bin', '.rbenv']) {
    expect(found.folders).not.toContain(join(home, part))
  }
  expect(found.path.slice(0, 4)).toEqual([...path.slice(0, 3), '/usr/bin'])
  expect(found.environment).toEqual({ PYENV_ROOT: join(home, '.pyenv'), RUSTUP_HOME: join(home, '.rustup') })
})

test('follows links on PATH, and shows what it is told to', async () => {
  await using created = await createHome()
  const { home } = created
  await created.make('.volta/tools/bin', 'run', 'wheels')
  await symlink(join(home, '.volta/tools/bin'), join(home, 'run/current'))
  const found = await findToolchains({ HOME: home, PATH: join(home, 'run/current') }, [
    join(home, 'wheels'),
    '/nowhere',
  ])
  expect(found.path[0]).toBe(join(home, '.volta/tools/bin'))
  expect(found.folders).toContain(join(home, 'wheels'))
  expect(found.folders).not.toContain('/nowhere')
})

test('prefers a Node of its own to one that is out of support', async () => {
  await using created = await createHome()
  const { home } = created
  await created.make('.nvm/versions/bin')
  for (const [version, ownNodeFirst] of [
    ['v18.20.0', true],
    ['v22.12.0', false],
  ] as const) {
    await writeFile(join(home, '.nvm/versions/bin/node'), `#!/bin/sh\necho ${version}\n`, { mode: 0o755 })
    expect(await findToolchains({ HOME: home, PATH: join(home, '.nvm/versions/bin') }, [])).toMatchObject({
      ownNodeFirst,
    })
  }
})
