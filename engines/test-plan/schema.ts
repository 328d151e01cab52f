import { z } from 'zod'

/** How one part of the repository is tested: what a run of it would do. */
export const TestingPart = z.object({
  /** Relative to the repository; empty for all of it. */
  directory: z.string(),
  ecosystem: z.string(),
  /** `unknown` if the command is a program of the project and no manifest names a framework. */
  framework: z.string(),
  /** As a person would type it, in the directory. */
  command: z.string(),
  /**
   * `command` for one file, with `{file}` for its path relative to the directory, `{folder}` for the folder of the file
   * and `{name}` for its name without extension; absent if the runner cannot. `commandForFile` fills it in.
   */
  fileCommand: z.string().optional(),
  /**
   * Globs of the files that the command collects, relative to the directory, as far as the plan knows them. A glob after
   * an exclamation mark excludes files. `collectsFile` matches them.
   */
  testFiles: z.array(z.string()).optional(),
})
export type TestingPart = z.infer<typeof TestingPart>
