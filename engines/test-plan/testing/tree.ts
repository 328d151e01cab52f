import { openFolder } from '../folder.ts'
import { detectPlan } from '../detect.ts'
import type { PlanPart, PlanSettings, PlanType, SourceTree } from '../plan.ts'

export function tree(files: Record<string, string | object>): SourceTree {
  const contents = new Map(
    Object.entries(files).map(([path, content]) => [
      path,
      typeof content === 'string' ? content : JSON.stringify(content),
    ]),
  )
  return { paths: [...contents.keys()], read: (path) => Promise.resolve(contents.get(path) ?? null) }
}

export const noSettings: PlanSettings = {
  installCommand: null,
  testCommand: null,
  workingDirectory: null,
  reportGlobs: [],
  coverageGlobs: [],
}

export async function partsOf(
  files: Record<string, string | object>,
  settings: Partial<PlanSettings> = {},
  type: PlanType = 'ALL',
): Promise<readonly PlanPart[]> {
  return (await detectPlan(tree(files), { ...noSettings, ...settings }, type)).parts
}

/** The only part of a plan. */
export async function partOf(...input: Parameters<typeof partsOf>): Promise<PlanPart> {
  const parts = await partsOf(...input)
  const [part] = parts
  if (!part || parts.length !== 1) throw new Error(`${parts.length} parts, not one`)
  return part
}

export function folderOf(files: Record<string, string | object>, directory = '') {
  return openFolder(tree(files), directory)
}
