import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import type { Reporter } from 'vitest/node'
import { costsFile, testCosts } from './test-costs.ts'

/** Writes what `measure-costs.ts` noted to the list of costs. Files that did not run keep theirs, unless they are gone. */
export class CostsWriter implements Reporter {
  readonly #noted: string
  constructor(noted: string) {
    this.#noted = noted
  }

  onTestRunEnd(): void {
    const lines = readFileSync(this.#noted, 'utf8').split('\n').filter(Boolean)
    const costs = new Map(Object.entries(testCosts).filter(([path]) => existsSync(path)))
    for (const line of lines) {
      const { path, seconds } = JSON.parse(line) as { path: string; seconds: number }
      costs.set(relative('.', path), Math.round(seconds))
    }
    const worth = [...costs].filter(([, seconds]) => seconds >= 1).toSorted(([a], [b]) => (a < b ? -1 : 1))
    writeFileSync(costsFile, `${JSON.stringify(Object.fromEntries(worth), null, 2)}\n`)
    rmSync(this.#noted)
  }
}
