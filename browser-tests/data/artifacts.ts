import { Readable } from 'node:stream'
import { deflateSync } from 'node:zlib'
import { storeFile } from '../../core/files/store.ts'
import type { TestRunRow } from '../../core/test-runs/entity.ts'
import { chunk } from '../palette-png.ts'
import type { Scene } from './target.ts'

/** Stores a text, an HTML report with its style sheet, and a picture with each of these runs. */
export async function fillArtifacts({ app, project }: Scene, runs: readonly TestRunRow[]): Promise<void> {
  const { services, dataSource } = app
  const ctx = { ...services, db: dataSource.manager, signal: AbortSignal.timeout(60_000) }
  for (const run of runs) {
    const files: [name: string, contentType: string, content: string | Buffer][] = [
      ['artifacts/output.txt', 'text/plain', `Tests: ${run.totalTests}\nFailed: ${run.failedTests}\n`],
      ['artifacts/html/index.html', 'text/html', report(run)],
      ['artifacts/html/style.css', 'text/css', 'body { font: 1rem system-ui; margin: 2rem; }'],
      ['artifacts/screenshots/levels.png', 'image/png', picture(320, 180)],
    ]
    for (const [name, contentType, content] of files) {
      const bytes = Buffer.from(content)
      const stream = Readable.from([bytes])
      await storeFile(ctx, { projectId: project.id, runId: run.id, name, contentType, stream, maxBytes: 2 ** 20 })
    }
  }
}

const report = (run: TestRunRow) =>
  `<!doctype html><meta charset="utf-8"><title>Report</title><link rel="stylesheet" href="style.css">
<h1>${run.totalTests} tests</h1><p>${run.failedTests} failed, ${run.skippedTests} skipped.</p>`

/** Draws a picture with two color ramps. */
function picture(width: number, height: number): Buffer {
  const rows = Array.from({ length: height }, (_, y) => {
    const row = Buffer.alloc(1 + width * 3)
    for (let x = 0; x < width; x++) row.set([(x * 255) / width, (y * 255) / height, 160], 1 + x * 3)
    return row
  })
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 2], 8)
  const parts = [chunk('IHDR', header), chunk('IDAT', deflateSync(Buffer.concat(rows))), chunk('IEND', Buffer.alloc(0))]
  return Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), ...parts])
}
