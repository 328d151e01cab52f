import type { PlanPart } from './plan.ts'

const endings: Readonly<Record<string, RegExp>> = {
  javascript: /\.[cm]?[jt]sx?$/,
  python: /\.py$/,
  go: /\.go$/,
  rust: /\.rs$/,
  maven: /\.(?:java|kt|groovy|scala)$/,
  gradle: /\.(?:java|kt|groovy|scala)$/,
  ruby: /\.rb$/,
  php: /\.php$/,
  csharp: /\.(?:cs|fs|vb)$/,
}

/** Whether the file can be a test of the part. A custom command (without a known framework) may run any file. */
export const mayRun = ({ ecosystem, framework }: Pick<PlanPart, 'ecosystem' | 'framework'>, path: string): boolean =>
  framework === null || (endings[ecosystem]?.test(path) ?? true)

/** Whether only parts of another ecosystem can run the file. Folders and other files are no such files. */
export const isForOthers = (part: Pick<PlanPart, 'ecosystem' | 'framework'>, path: string): boolean =>
  !mayRun(part, path) && Object.values(endings).some((ending) => ending.test(path))
