import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { leftContainers } from './docker.ts'
import { makeTemporaryFolder, removeLeftFolders } from './left-folders.ts'
import { ownMark } from './process-table.ts'

/** The mark of a process that has been killed. */
async function deadMark(): Promise<string> {
  const place = join(import.meta.dirname, 'process-table.ts')
  const script = `import { ownMark } from ${JSON.stringify(place)}; console.log(ownMark); setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [printed] = (await once(child.stdout, 'data')) as [Buffer]
  child.kill('SIGKILL')
  await once(child, 'exit')
  return printed.toString().trim()
}

test('removes folders of killed processes from the temporary folder, and nothing else', async () => {
  const mark = await deadMark()
  const left = ['egress', 'canary'].map((purpose) => join(tmpdir(), `assay-${purpose}-${mark}-abcdef`))
  for (const folder of left) await mkdir(join(folder, 'deeper'), { recursive: true })
  const others = [
    await makeTemporaryFolder('egress'),
    await makeTemporaryFolder('canary'),
    join(tmpdir(), `assay-other-${mark}-abcdef`),
  ]
  await mkdir(others[2] ?? '')
  const link = join(tmpdir(), `assay-egress-${mark}-linked`)
  await symlink(others[2] ?? '', link)
  await removeLeftFolders()
  expect(left.filter((folder) => existsSync(folder))).toEqual([])
  expect(others.filter((folder) => !existsSync(folder))).toEqual([])
  for (const folder of [...others, link]) await rm(folder, { recursive: true })
})

test('distinguishes containers of killed processes from containers of running ones', async () => {
  const id = '0b7f8f0e-3c1d-4f7e-9a53-1d2a4c5e6f70'
  const mark = await deadMark()
  const names = [`assay-${mark}-${id}`, `assay-${ownMark}-${id}`, `assay-${id}`, `mine-${mark}-${id}`, '']
  expect(leftContainers(names)).toEqual([`assay-${mark}-${id}`])
})
