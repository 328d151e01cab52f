import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { createGitRepository, type GitRepository } from '../../engines/source/testing/git-repository.ts'
import { appRouter } from '../router.ts'
import { createTestApp } from '../testing/app.ts'
import { createProjectFor, createTokenFor, createUser } from '../testing/factories.ts'
import type { Snapshot } from './schema.ts'

const page = await readFile(new URL('../../docs/snapshots.md', import.meta.url), 'utf8')
const [send = '', pack = ''] = [...page.matchAll(/```sh\n(.*?)```/gs)].map(([, text]) => text)

test('the page lists every procedure that works on a snapshot in place of a commit', () => {
  // The type is nested, but the value is flat.
  const procedures = appRouter._def.procedures as unknown as Record<string, { _def: { inputs: unknown[] } }>
  const taking = Object.entries(procedures).flatMap(([path, procedure]) => {
    const [input] = procedure._def.inputs
    const snapshotId = input instanceof z.ZodObject ? input.shape['snapshotId'] : undefined
    // Lists and details of a record take it as a filter, which can be null.
    const isState = snapshotId instanceof z.ZodOptional && snapshotId.unwrap() instanceof z.ZodString
    return isState ? [path] : []
  })
  const table = page
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .join('\n')
  expect(taking.length).toBeGreaterThan(8)
  expect(taking.filter((path) => !table.includes(`\`${path}\``))).toEqual([])
})

const has = (program: string) =>
  promisify(execFile)('sh', ['-c', `command -v ${program}`]).then(
    () => true,
    () => false,
  )
const usable = (await Promise.all(['curl', 'jq', 'bash'].map(has))).every(Boolean)

test.runIf(usable)('the documented commands send a working tree, also on commits that were not pushed', async () => {
  await using app = await createTestApp({ role: 'web' })
  await using repository = await createGitRepository({ a: '1\n' })
  await using checkout = await createGitRepository()
  await checkout.git('pull', '--quiet', repository.path, 'main')
  const user = await createUser(app)
  const { id: projectId } = await createProjectFor(app, { user, repository: repository.path })
  const environment = {
    SVC_BASE_URL: app.url,
    ASSAY_PROJECT: projectId,
    SVC_API_TOKEN: await createTokenFor(app, { user }),
  }
  const run = async ({ path: cwd }: GitRepository, script: string) => {
    const env = { PATH: process.env['PATH'], HOME: cwd, ...environment }
    return JSON.parse((await promisify(execFile)('bash', ['-ec', script], { cwd, env })).stdout) as Snapshot
  }
  await checkout.write({ a: '2\n', new: 'new\n' })
  const first = await run(checkout, send)
  expect(first).toMatchObject({ projectId, files: 2, baseSha: await checkout.git('rev-parse', 'HEAD') })
  expect(await checkout.git('status', '--porcelain')).toContain('?? new')
  expect((await run(checkout, send)).id).toBe(first.id)

  const pushed = await checkout.git('rev-parse', 'HEAD')
  await checkout.git('clean', '--quiet', '--force')
  const head = await checkout.commit({ a: '3\n' })
  await checkout.write({ a: '4\n' })
  const tree = send.split('printf')[0] ?? ''
  const upload = `curl${send.split('curl')[1] ?? ''}`.replace('&tree=', '&head=$head&tree=')
  const second = await run(checkout, `${tree}${pack}${upload}`)
  expect(second).toMatchObject({ baseSha: pushed, headSha: head, files: 1 })
})
