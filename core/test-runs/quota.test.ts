import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { runSettings } from '../testing/app.ts'
import { installsDirectory } from '../workspaces/kept-installs.ts'
import { createRunScene, type RunScene } from './testing/scene.ts'
import { whyUnbounded } from '../../engines/sandbox/bounded-folder.ts'
import { tmpdir } from 'node:os'

const mebibyte = 2 ** 20
// On machines without loop devices Assay measures, which other tests show, and `assay doctor` says so.
const unbounded = await whyUnbounded(tmpdir())

describe.runIf(unbounded === null)('where the kernel limits the folders of runs', () => {
  let scene: RunScene
  beforeAll(async () => {
    // More than a look every 100 ms could stop in time, if the kernel did not.
    const runs = { ...runSettings, quota: 'auto' as const, diskBytes: 32 * mebibyte, files: 3_000 }
    scene = await createRunScene({ runs })
  })
  afterAll(async () => {
    const { dataDir } = scene.app.config
    const nothingLeft = async () => {
      expect(await readdir(join(dataDir, 'runs'))).toEqual([])
      expect(await readFile('/proc/self/mounts', 'utf8')).not.toContain(dataDir)
    }
    await vi.waitFor(nothingLeft, { timeout: 20_000 })
    await scene[Symbol.asyncDispose]()
  })

  const runScript = async (script: string) => {
    const files = {
      'package.json': JSON.stringify({ name: 'x', version: '1.0.0', scripts: { test: 'bash tests.sh' } }),
      'package-lock.json': JSON.stringify({ name: 'x', version: '1.0.0', lockfileVersion: 3, packages: {} }),
      'tests.sh': script,
    }
    const { id } = await scene.project(files, {
      installCommand: 'mkdir -p node_modules/kept; echo kept > node_modules/kept/file',
      testCommand: 'bash tests.sh',
      reportGlobs: ['*.xml'],
      timeoutSeconds: 30,
    })
    return { id, run: await scene.run(id) }
  }

  test('runs tests as elsewhere, and uses an install again', async () => {
    const { id, run } = await runScript(
      `cat node_modules/kept/file && echo changed > node_modules/kept/file && echo '<testsuite><testcase name="fine"/></testsuite>' > junit.xml`,
    )
    expect(run, await scene.log(run.id)).toMatchObject({ reportedStatus: 'PASSED', totalTests: 1 })
    const again = await scene.run(id)
    expect(again, await scene.log(again.id)).toMatchObject({ reportedStatus: 'PASSED', totalTests: 1 })
    expect(await scene.log(again.id)).toContain('# Skipped, because an earlier run installed the same')
  })

  test('runs tests after an install that cannot be kept, and keeps nothing of it', async () => {
    const deep = 'for (1 .. 600) { mkdir "d" x 16; chdir "d" x 16 }'
    const files = { 'tests.sh': `echo '<testsuite><testcase name="fine"/></testsuite>' > junit.xml` }
    const { id } = await scene.project(
      { 'package.json': '{}', 'package-lock.json': '{}', ...files },
      {
        installCommand: `mkdir node_modules && cd node_modules && fallocate -l 8M first && perl -e '${deep}'`,
        testCommand: 'test -e node_modules/first && bash tests.sh',
        reportGlobs: ['*.xml'],
      },
    )
    for (const _ of [1, 2]) {
      const run = await scene.run(id)
      const log = await scene.log(run.id)
      expect(run, log).toMatchObject({ reportedStatus: 'PASSED', totalTests: 1 })
      expect(log).toContain('# Later runs cannot use this install')
      expect(await readdir(installsDirectory(scene.app.config, id))).toEqual([])
    }
  })

  test.each([
    ['space', 'for i in $(seq 60); do fallocate -l 30M /tmp/$i || exit; done; sleep 20', /bytes|MB/],
    ['files', `perl -e 'for (1..100_000) { open F, ">/dev/shm/$_" or exit }'; sleep 20`, /files/],
  ])('stops a command that takes all %s at once', async (_name, script, message) => {
    const { run } = await runScript(script)
    expect(run, await scene.log(run.id)).toMatchObject({ status: 'FAILED', error: { code: 'disk_limit' } })
    expect(run.error?.message).toMatch(message)
  })
})
