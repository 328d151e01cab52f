import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { runSettings } from '../testing/app.ts'
import { createVerificationScene } from './testing/scene.ts'

const head = "import assert from 'node:assert'\nimport { test } from 'node:test'\nimport { size } from '../size.js'\n"
const files = {
  'package.json': JSON.stringify({ type: 'module', scripts: { test: 'node --test' } }),
  'size.js': "export const size = (count) => (count >= 100 ? 'large' : 'small')\n",
  'test/other.test.js': "import { test } from 'node:test'\ntest('other', () => {})\n",
}
const good = `${head}test('a', () => assert.deepEqual([size(99), size(100)], ['small', 'large']))\n`
const weak = `${head}test('b', () => assert.ok(size(99) !== 7))\n`

test(
  'verifications of one project at once do not affect each other, and leave nothing',
  { timeout: 180_000 },
  async () => {
    const atOnce = { verificationConcurrency: 3, runs: { ...runSettings, runsPerOwner: 3 } }
    await using scene = await createVerificationScene(atOnce)
    const { id: projectId } = await scene.project(files)
    await scene.client.webhooks.create.mutate({ url: 'http://127.0.0.1:1/', events: ['test.verified'], projectId })
    const how = { repeats: 2, mutants: 4 }
    const verified = await Promise.all(
      [good, weak, good].map((code) => scene.verify(projectId, { filePath: 'test/size.test.js', code }, how)),
    )
    expect(verified.map(({ verdict }) => verdict)).toEqual(['accepted', 'no_gain', 'accepted'])
    for (const { evidence } of verified) {
      expect(evidence?.runs.map(({ kind }) => kind)).toEqual(['alone', 'alone', 'suite', 'suite'])
      expect(evidence?.baseline).toMatchObject({ totalTests: 1 })
    }
    expect(verified[0]?.evidence?.mutation).toEqual(verified[2]?.evidence?.mutation)
    const { dataSource, config } = scene.app
    expect(await dataSource.query('SELECT 1 FROM webhook_deliveries')).toHaveLength(3)
    expect(await dataSource.query('SELECT 1 FROM verification_baselines')).toHaveLength(1)
    while ((await readdir(join(config.dataDir, 'verifications'))).length > 0) await sleep(20)
  },
)
