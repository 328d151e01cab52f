import { readdir } from 'node:fs/promises'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { border, cart, fixed } from '../testing/cart.ts'
import { createChangeScene } from '../testing/scene.ts'

const marker = `cancelled-change-${process.pid}`

async function processes(): Promise<string[]> {
  const { stdout } = await promisify(execFile)('ps', ['-eo', 'args'])
  return stdout.split('\n').filter((line) => line.startsWith('sh -c') && line.includes(marker))
}

test('a change can be cancelled in every phase, which ends its processes and leaves no file', async () => {
  await using scene = await createChangeScene()
  const waiting = `import { spawnSync } from 'node:child_process'\nspawnSync('sh', ['-c', 'sleep 2; true', '${marker}'])\n`
  const { id: projectId, repository } = await scene.project(cart)
  await scene.change(repository, { ...fixed, 'test/border.test.js': waiting + border })
  for (const phase of ['fetching', 'running_head', 'without_change', 'repeating', 'mutating'] as const) {
    const { id: changeId } = await scene.client.changes.verify.mutate({
      projectId,
      head: 'topic',
      repeats: phase === 'mutating' ? 1 : 3,
      again: phase === 'running_head',
    })
    for (;;) {
      const { progress, completedAt } = await scene.client.changes.get.query({ changeId })
      expect(completedAt, `ended before ${phase}`).toBeNull()
      if (progress?.phase === phase || (phase === 'fetching' && progress !== null)) break
      await sleep(50)
    }
    await scene.client.changes.cancel.mutate({ changeId })
    const cancelled = await scene.waitForChange(changeId)
    expect(cancelled, phase).toMatchObject({ status: 'cancelled', progress: null, error: null })
    while ((await processes()).length > 0) await sleep(50)
    while ((await readdir(join(scene.app.config.dataDir, 'changes')).catch(() => [])).length > 0) await sleep(50)
  }
})
